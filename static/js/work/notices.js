// What the page has to say apart from the work: one line per subject, read out politely.

/** @import { Words } from "./types.js" */

/**
 * Fill the {names} of a sentence.
 *
 * @param {Words} words
 * @param {string} name
 * @param {Record<string, unknown>} [values]
 */
export function say(words, name, values = {}) {
  return Object.entries(values).reduce(
    (sentence, [key, value]) => sentence.replaceAll(`{${key}}`, String(value)),
    words[name] ?? name,
  );
}

/**
 * Notices by subject: showing one again replaces it, and an empty text takes it away. Between
 * `hold` and `release` nothing on the page changes; what was said meanwhile comes then.
 *
 * @param {HTMLElement} area
 */
export function createNotices(area) {
  /** @type {Map<string, HTMLElement>} */
  const shown = new Map();
  /** @type {Map<string, () => void> | null} */
  let held = null;

  /**
   * @param {string} subject
   * @param {string} text
   * @param {string} [kind] a class of the message
   * @param {{ text: string, href: string }} [link] where the rater can go from here
   */
  function notice(subject, text, kind = "warning", link) {
    if (held) return void held.set(subject, () => show(subject, text, kind, link));
    return show(subject, text, kind, link);
  }

  /**
   * @param {string} subject
   * @param {string} text
   * @param {string} kind
   * @param {{ text: string, href: string }} [link]
   */
  function show(subject, text, kind, link) {
    shown.get(subject)?.remove();
    shown.delete(subject);
    if (!text) return;
    const line = area.ownerDocument.createElement("p");
    line.className = `message ${kind}`;
    line.textContent = text;
    line.dataset.subject = subject;
    if (link) {
      const anchor = area.ownerDocument.createElement("a");
      anchor.href = link.href;
      anchor.textContent = link.text;
      line.append(" ", anchor);
    }
    area.append(line);
    shown.set(subject, line);
  }

  /**
   * Change something else of the page, but not while the notices are held.
   *
   * @param {string} subject
   * @param {() => void} work
   */
  notice.whenFree = (subject, work) => void (held ? held.set(subject, work) : work());
  notice.hold = () => {
    held ??= new Map();
  };
  notice.release = () => {
    const waiting = held ?? new Map();
    held = null;
    for (const work of waiting.values()) work();
  };
  return notice;
}
