// Fetches a page of this site as a document, so that its parts can replace those on the screen.
// The browser parses it and runs nothing in it: no text is ever turned into markup here.

/**
 * @param {string} address
 * @param {FormData | null} body what a form sends; without it the page is only read
 * @returns {Promise<{ page: Document, address: string }>}
 */
export function fetchPage(address, body = null) {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open(body ? "POST" : "GET", address);
    request.responseType = "document";
    request.timeout = 30_000;
    request.onload = () => {
      const isPage = request.response && (request.status < 300 || request.status === 422);
      if (isPage) resolve({ page: request.response, address: request.responseURL });
      else reject(new Error(`status ${request.status}`));
    };
    request.onerror = request.ontimeout = () => reject(new Error("no answer"));
    request.send(body);
  });
}

/**
 * @param {Element | null} old
 * @param {Element | null} fresh
 */
export function replacePart(old, fresh) {
  if (old && fresh) old.replaceWith(old.ownerDocument.adoptNode(fresh));
}
