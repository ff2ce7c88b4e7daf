// Forms that lead to the rater's next page ask for it in the answer itself: a redirect costs a
// second round trip, which takes two seconds on a slow line. The page then corrects its address,
// so that loading it again does not send the form again.

const address = document.querySelector("meta[name=address]")?.getAttribute("content");
if (address && address !== location.pathname) history.replaceState(null, "", address);

for (const form of document.querySelectorAll("form[data-onward]")) {
  const field = document.createElement("input");
  field.type = "hidden";
  field.name = "at_once";
  field.value = "1";
  form.append(field);
}

export {};
