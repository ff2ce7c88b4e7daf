// What a screen expects of an instrument. Types alone: tsc holds every instrument to them.

/** @typedef {import("../work/types.js").TemplateElement} TemplateElement */

/**
 * What an instrument is given to work with.
 *
 * @typedef {object} InstrumentTools
 * @property {Record<string, any>} options the criterion's settings; choices as [name, label] pairs
 * @property {import("../work/types.js").Material} material the trial's texts and pictures,
 *   as the page has them
 * @property {Record<string, string>} words the sentences of the interface and those of the
 *   instrument's Python class, by name
 * @property {string} labelledBy ids of the elements that name the question and its output
 * @property {string} question the id of the element that names the question alone
 * @property {number | null} place which of the screen's outputs it is about, from 0, or null for
 *   the item
 * @property {(time: DOMHighResTimeStamp) => void} onChange call it with the event's time stamp
 *   whenever the rater changes the answer
 */

/**
 * One instrument on a screen: about one output, or about the item.
 *
 * @typedef {object} Instrument
 * @property {() => any} value the answer as the server takes it (see the Python class's `clean`)
 * @property {() => boolean} isAnswered whether there is an answer to send
 * @property {() => string} problem what the answer lacks, as a sentence; "" when it is complete
 * @property {(value: any) => void} setValue put an answer back: after a reload, or with *Back*
 * @property {(milliseconds: number | null) => boolean} [settleTime] what a timed screen measured,
 *   null when the time ran out; returns whether that moment is when the answer was given
 * @property {() => boolean} [isComplete] whether nothing is missing, where an answer has parts
 * @property {() => any[]} [faulty] the parts to mark when the answer is incomplete
 * @property {() => void} focus move the focus to where the answer can be given
 */

/**
 * What an instrument's module exports as `mount`, marked with this type. `root` is the element of
 * its template; with `data-clicks-pictures` there, the item's pictures can be clicked.
 *
 * @callback Mount
 * @param {TemplateElement} root
 * @param {InstrumentTools} tools
 * @returns {Instrument}
 */

/**
 * What it exports as `mountTogether` instead, if it compares a screen's outputs: it gets the
 * elements of all of them, and one for what they share.
 *
 * @callback MountTogether
 * @param {TemplateElement[]} roots
 * @param {InstrumentTools[]} tools
 * @param {TemplateElement} shared
 * @returns {Instrument[]}
 */

/**
 * What a module of an instrument exports: one of the two.
 *
 * @typedef {{ mount?: Mount, mountTogether?: MountTogether }} InstrumentModule
 */

export {};
