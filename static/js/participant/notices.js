// What the page has to say beside the work: one line per subject, read out politely.

/** Fill the {names} of a sentence. */
export function say(words, name, values = {}) {
  return Object.entries(values).reduce(
    (sentence, [key, value]) => sentence.replaceAll(`{${key}}`, String(value)),
    words[name] ?? name,
  );
}

/** Notices by subject: showing one again replaces it, and an empty text takes it away. */
export function createNotices(area) {
  const shown = new Map();
  return function notice(subject, text, kind = "warning") {
    shown.get(subject)?.remove();
    shown.delete(subject);
    if (!text) return;
    const line = area.ownerDocument.createElement("p");
    line.className = `message ${kind}`;
    line.textContent = text;
    line.dataset.subject = subject;
    area.append(line);
    shown.set(subject, line);
  };
}
