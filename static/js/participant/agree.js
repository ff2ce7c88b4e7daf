// Inside the consent page. The answer to the rater's consent takes the place of that page: to leave
// it would cancel the files for the work, which are on their way, and on a slow line they would
// need another round trip. Whatever this cannot show the form does in the usual way.

{
  const form = /** @type {HTMLFormElement} */ (document.querySelector("form.needs-script"));
  const buttons = form.querySelectorAll("button");
  const styles = /** @type {HTMLStyleElement} */ (document.querySelector("style"));

  form.addEventListener("submit", (event) => {
    const pressed = /** @type {?HTMLButtonElement} */ (event.submitter);
    // A page that says which statement is not ticked takes the place of this one as usual.
    if (pressed?.value !== "agree" || !form.checkValidity()) return;
    event.preventDefault();
    const fields = new URLSearchParams();
    for (const [name, value] of new FormData(form)) fields.append(name, String(value));
    fields.append(pressed.name, pressed.value);
    for (const button of buttons) button.disabled = true;
    form.ariaBusy = "true";
    const request = new XMLHttpRequest();
    request.open("POST", form.action);
    request.setRequestHeader("Styles-There", styles.dataset.sheets ?? "");
    request.responseType = "document";
    request.onloadend = () => {
      if (request.status === 200 && fits(request.response)) show(request.response);
      else sendInTheUsualWay(pressed);
    };
    request.send(fields);
  });

  /**
   * Whether a page needs no style and no script that this page does not have.
   *
   * @param {?Document} next
   */
  const fits = (next) => {
    if (!next?.querySelector("meta[name=address]") || next.querySelector("style")) return false;
    /** @param {Element} script */
    const addressOf = (script) => script.getAttribute("src");
    const loaded = new Set(Array.from(document.querySelectorAll("script[src]"), addressOf));
    return [...next.scripts].every((script) => loaded.has(addressOf(script)));
  };

  /** @param {Document} next */
  const show = (next) => {
    const address = "meta[name=address]";
    const { lang, dir } = next.documentElement;
    Object.assign(document.documentElement, { lang, dir });
    document.title = next.title;
    document.querySelector(address)?.replaceWith(/** @type {Node} */ (next.querySelector(address)));
    document.head.append(...next.head.querySelectorAll("link[rel=modulepreload]"));
    document.body.replaceWith(next.body);
    history.replaceState(null, "", document.querySelector(address)?.getAttribute("content"));
    scrollTo(0, 0);
    const title = document.querySelector("h1");
    title?.setAttribute("tabindex", "-1");
    title?.focus();
  };

  /**
   * Consent that arrives twice is one consent.
   *
   * @param {HTMLButtonElement} pressed
   */
  const sendInTheUsualWay = (pressed) => {
    form.append(
      Object.assign(document.createElement("input"), {
        type: "hidden",
        name: pressed.name,
        value: pressed.value,
      }),
    );
    form.submit();
  };
}
