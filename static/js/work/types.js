// What the parts of the work page pass to each other. Types alone: no page loads this file.

/**
 * An element of the site's own templates. That its parts exist, and of what kind they are, is the
 * templates' promise, which the browser tests hold.
 *
 * @typedef {any} TemplateElement
 */

/** @typedef {Record<string, string>} Words sentences of the interface, by name */

// The page's document --------------------------------------------------------------------------

/**
 * As rankme/pages/rater/working.py and rankme/pages/rater/trial_page.py write it.
 *
 * @typedef {object} PageDocument
 * @property {boolean} practice_gate whether the practice decides who works
 * @property {number} version
 * @property {number} assignment
 * @property {string} rater
 * @property {"any" | "desktop"} devices
 * @property {boolean} [preview]
 * @property {ScreenDocument[]} screens
 * @property {Material[]} trials
 * @property {Material[]} practice
 * @property {string[]} pictures
 * @property {BreakRules} breaks
 * @property {number} seconds_per_screen
 * @property {number} least_seconds
 * @property {Input | null} standard_input
 * @property {[number, number][]} stored trial and screen of what the server already has
 * @property {Record<string, string>} addresses
 * @property {Record<string, string>} instruments the address of each instrument's module
 * @property {Words} words
 * @property {Record<string, Words>} instrument_words
 */

/**
 * @typedef {object} ScreenDocument
 * @property {Question[]} ask
 * @property {Timed | null} timed
 * @property {boolean} comment
 * @property {boolean} [closes_document] asked once, after the last segment of each document
 */

/**
 * @typedef {object} Question
 * @property {string} criterion
 * @property {"output" | "item"} about
 * @property {boolean} required
 * @property {string} instrument
 * @property {Record<string, any>} options choices as [name, label] pairs
 * @property {boolean} [cannot_judge] whether raters can say that they cannot judge
 * @property {string[]} [reasons] the names of the reasons that they can give
 */

/**
 * @typedef {{ initiated: boolean, fixation_ms: number, bell: boolean, timeout_ms: number }} Timed
 */

/**
 * @typedef {object} BreakRules
 * @property {number | null} after_trials
 * @property {number | null} after_minutes
 * @property {number} minutes
 * @property {boolean} enforced
 */

/**
 * One trial, or practice example: only what some screen shows.
 *
 * @typedef {object} Material
 * @property {number} places how many outputs there are
 * @property {Input} [input]
 * @property {string} [reference]
 * @property {FileDocument | null} [input_file]
 * @property {(FileDocument | null)[]} [output_files]
 * @property {[string, string]} [context] before and after the judged sentence
 * @property {string[]} [outputs]
 * @property {Record<string, string[]>} [orders] the names of shuffled choices, by criterion
 * @property {FormattedMaterial} [formatted] what some screen shows as Markdown
 * @property {import("../marks/history.js").Mark[][]} [marks] suggestions, by output
 * @property {{ first: number, segment: number, segments: number }} [document] the place of its
 *   first trial, and which segment this is, from 1
 * @property {number} [input_length]
 * @property {number} [input_attributes]
 * @property {boolean} [has_feedback]
 * @property {string} [feedback]
 */

/**
 * @typedef {{ address: string, kind: "picture" | "sound" | "film", alt: string,
 *   seconds: number | null }} FileDocument
 */

/**
 * A text, or an element: its name, its attributes if it has any, and its children
 * (rankme/markdown/tree.py).
 *
 * @typedef {any} FormattedNode
 */
/**
 * The trees of the texts; null where a text is too long to be rendered.
 *
 * @typedef {object} FormattedMaterial
 * @property {FormattedNode[] | null} [input]
 * @property {FormattedNode[] | null} [reference]
 * @property {(FormattedNode[] | null)[]} [context] before and after the judged sentence
 * @property {(FormattedNode[] | null)[]} [outputs]
 * @property {(FormattedNode[] | null)[]} [input_turns] of a dialogue
 * @property {(FormattedNode[] | null)[][]} [outputs_turns] of dialogues
 */

/** @typedef {{ kind: "text", text: string }} TextInput */
/** @typedef {[name: string, value: string]} Fact */
/** @typedef {{ kind: "mr", pairs: Fact[], order?: number[], in_words?: boolean }} MeaningInput */
/** @typedef {{ title?: string, columns: string[], rows: string[][] }} TableDocument */
/** @typedef {{ kind: "tables", tables: TableDocument[] }} TablesInput */
/** @typedef {{ picture: number, x: number, y: number }} ImageDocument */
/**
 * @typedef {{ kind: "images", images: ImageDocument[], columns: number | null,
 *   rows: number | null }} ImagesInput
 */
/** @typedef {TextInput | MeaningInput | TablesInput | ImagesInput} Input */

// The work -------------------------------------------------------------------------------------

/** @typedef {{ trial: number | string, screen: number }} ScreenId */

/**
 * One screen of the practice or the batch.
 *
 * @typedef {object} Step
 * @property {boolean} practice
 * @property {number | string} trial
 * @property {number} number the trial's or the document's, from 1
 * @property {number} count how many of them there are
 * @property {number} screen
 * @property {number} screens how many screens a trial has
 * @property {Material} material
 */

/**
 * @typedef {object} Answer
 * @property {string} criterion
 * @property {number | null} place the output's, or null for the item
 * @property {any} [value] as the instrument gives it
 * @property {string} [cannot_judge] instead of a value: the name of the reason, or ""
 * @property {string[]} [order] in which shuffled choices were shown
 * @property {number | null} time_ms
 */

/**
 * What a rater has said on a screen so far. It outlives the page, so that a reload finds the same
 * key and what had been answered.
 *
 * @typedef {object} Draft
 * @property {string} id
 * @property {string} key
 * @property {string | null} replaces the key of the answers whose place these take
 * @property {Record<string, any>} answers as the instruments give them, to be put back
 * @property {string} comment
 * @property {number} spent_ms
 * @property {number} [active_ms]
 * @property {number} reloads
 * @property {import("../blocks/files.js").PlayLog[]} [files] what was played
 * @property {ScreenView[]} [views]
 * @property {"open" | "sent"} state
 * @property {Answer[]} [given] the answers of a practice screen, which are never sent
 */

/**
 * That a rater looked at something in another way: at the source of a text, at differences. The
 * time is since the onset of the page that had been loaded `reload` times again.
 *
 * @typedef {object} ScreenView
 * @property {string} view
 * @property {number} [place] the output's
 * @property {boolean} on
 * @property {number} at_ms
 * @property {number} reload
 */

/**
 * A screen's answers as the server takes them (rankme/protocols/sent_screen.py).
 *
 * @typedef {object} Payload
 * @property {number} version
 * @property {string} key
 * @property {number} assignment
 * @property {number | string} trial
 * @property {number} screen
 * @property {Answer[]} answers
 * @property {object} times
 * @property {string} comment
 * @property {string | null} replaces
 */

/**
 * What a rater reports as wrong with a screen (rankme/actions/sitting/complaints.py).
 *
 * @typedef {object} Complaint
 * @property {number} version
 * @property {string} key
 * @property {number} assignment
 * @property {number | null} trial null for a practice example
 * @property {number} screen
 * @property {string} complaint
 */

/**
 * What was given for a practice example, next to what was expected.
 *
 * @typedef {object} ComparedAnswer
 * @property {string} text the output that it is about, or ""
 * @property {number | null} position the output's
 * @property {string} question
 * @property {string} given
 * @property {string} expected
 * @property {boolean} fits
 * @property {ShownMark[]} own_marks
 * @property {ShownMark[] | null} expected_marks null where no marks are named
 */

/**
 * A mark in a text, in code points, with how severe it looks.
 *
 * @typedef {{ side: string, start: number | null, end: number | null, level: number }} ShownMark
 */

/**
 * What the server says about the answers to a practice example.
 *
 * @typedef {object} Feedback
 * @property {string} [feedback]
 * @property {ComparedAnswer[]} [answers]
 * @property {boolean | null} [passed] null where nothing was expected
 * @property {boolean} [may_try_again]
 * @property {number} [tries_left]
 * @property {boolean} [must_try_again]
 * @property {boolean} [ends_the_work]
 */

/** @typedef {"sent" | "elsewhere" | "back" | "refused" | "overtaken"} Outcome */

/** @typedef {{ place: string, message: string }} Refusal what the server said against an answer */

// Storage, clock and server --------------------------------------------------------------------

/** @typedef {"drafts" | "outbox"} StoreName */

/**
 * One transaction over both stores. What it reads is what some page wrote before.
 *
 * @typedef {object} Transaction
 * @property {(store: StoreName, key: string) => Promise<any>} get
 * @property {(store: StoreName) => Promise<any[]>} all
 * @property {(store: StoreName, value: object) => Promise<unknown>} put
 * @property {(store: StoreName, key: string) => Promise<unknown>} delete
 */

/**
 * @typedef {object} PageStorage
 * @property {boolean} lasting whether it outlives the page
 * @property {<T>(work: (transaction: Transaction) => Promise<T>) => Promise<T>} change run `work`
 *   in one transaction: all of it happens, or nothing
 * @property {(draft: { id: string }) => void} keepAtOnce keep one draft of a page that is about to go
 */

/**
 * An answer that waits in the outbox, or that a person must look at.
 *
 * @typedef {object} Entry
 * @property {string} key
 * @property {string} rater
 * @property {Payload | Complaint} payload
 * @property {"waiting" | "refused" | "conflict"} state
 * @property {number} queued
 * @property {any} [answer]
 */

/** @typedef {{ status: number, document: any }} ServerAnswer */

/**
 * @typedef {object} Timers
 * @property {() => number} now
 * @property {(work: () => void, delay: number) => number} setTimeout
 * @property {(timer: number | undefined) => void} clearTimeout
 */

/** @typedef {Timers & { random: () => number }} Clock */

/** @typedef {(work: FrameRequestCallback) => number} NextFrame */

/** @typedef {{ allow: () => void, ring: () => void }} Bell */

/**
 * What the browser lends to the sitting.
 *
 * @typedef {Timers & { nextFrame: NextFrame, wait: (milliseconds: number) => Promise<unknown>,
 *   fonts: FontFaceSet, newImage: () => HTMLImageElement }} BrowserTools
 */

/** @typedef {BrowserTools & { bell: Bell }} TimedTools */

// The parts ------------------------------------------------------------------------------------

/** @typedef {ReturnType<typeof import("./notices.js").createNotices>} Notice */
/** @typedef {ReturnType<typeof import("../sending/outbox.js").createOutbox>} Outbox */
/** @typedef {ReturnType<typeof import("../sending/drafts.js").createDrafts>} Drafts */
/** @typedef {ReturnType<typeof import("./breaks.js").createBreaks>} Breaks */
/** @typedef {ReturnType<typeof import("./route.js").createRoute>} Route */
/** @typedef {ReturnType<typeof import("./header.js").createHeader>} Header */
/** @typedef {ReturnType<typeof import("./desk.js").createDesk>} Desk */
/** @typedef {ReturnType<typeof import("./sitting.js").createSitting>} Sitting */
/** @typedef {ReturnType<typeof import("./screen.js").mountScreen>} MountedScreen */
/** @typedef {ReturnType<typeof import("./timing.js").createStopwatch>} Stopwatch */
/** @typedef {import("../instruments/contract.js").Instrument} Instrument */
/** @typedef {import("../instruments/contract.js").InstrumentTools} InstrumentTools */
/** @typedef {import("../instruments/contract.js").InstrumentModule} InstrumentModule */

/**
 * The parts of the work page that the sitting changes.
 *
 * @typedef {object} View
 * @property {HTMLElement} stage
 * @property {HTMLTemplateElement} messageTemplate
 * @property {HTMLTemplateElement} answersTemplate of the feedback on practice examples
 * @property {(screen: number) => HTMLTemplateElement} screenTemplate
 * @property {HTMLElement} progress
 * @property {HTMLProgressElement} bar
 * @property {HTMLButtonElement} undo
 * @property {Notice} notice
 */

export {};
