// A form that leads to the rater's next page is answered with that page at once. Its address is
// corrected here, so that loading it again does not send the form again.

const address = document.querySelector("meta[name=address]")?.getAttribute("content");
if (address && address !== location.pathname) history.replaceState(null, "", address);

export {};
