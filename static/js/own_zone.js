// Shows each marked time in the visitor's own zone as well, next to UTC.

/** @type {NodeListOf<HTMLTimeElement>} */
const times = document.querySelectorAll("time[data-own-zone]");
for (const time of times) {
  const own = new Intl.DateTimeFormat(document.documentElement.lang || undefined, {
    dateStyle: "medium",
    timeStyle: "long",
  });
  time.textContent = `${time.dataset.ownZone} ${own.format(new Date(time.dateTime))}`;
  time.hidden = false;
}

export {};
