// One star or more: a button for each number of stars.

/** @type {import("./contract.js").Mount} */
export function mount(root, { options, words, onChange }) {
  let stars = 0;
  const holder = root.querySelector("[data-stars]");
  const buttons = Array.from({ length: options.most }, (_, index) => {
    const button = root.ownerDocument.createElement("button");
    button.type = "button";
    button.textContent = "★".repeat(index + 1);
    button.addEventListener("click", (event) => {
      give(index + 1);
      onChange(event.timeStamp);
    });
    holder.append(button);
    return button;
  });

  function give(number) {
    stars = number;
    buttons.forEach((button, index) => {
      button.setAttribute("aria-pressed", String(index + 1 === stars));
    });
  }

  return {
    value: () => stars,
    isAnswered: () => stars > 0,
    problem: () => (stars ? "" : words.missing_stars),
    setValue: give,
    focus: () => buttons[0].focus(),
  };
}
