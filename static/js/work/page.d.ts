// Written by `make types` from rankme/protocols/exchange/page_shapes.py: change that.

export interface Addresses {
  submit: string;
  practice_feedback: string;
  practised: string;
  session: string;
  finish: string;
  work: string;
  enter: string;
}

export interface Answer {
  criterion: string;
  place: number | null;
  value?: unknown;
  cannot_judge?: string;
  order?: string[];
  time_ms: number | null;
}

/** Breaks are suggested after a number of trials or minutes; `enforced` ones last `minutes`. */
export interface Breaks {
  after_trials: number | null;
  after_minutes: number | null;
  minutes: number;
  enforced: boolean;
}

export interface ChecklistOptions {
  choices: [string, string][];
  none: string;
  none_name: string;
  shuffle: boolean;
}

export interface ChoiceOptions {
  choices: [string, string][];
  shuffle: boolean;
}

/** A rater's answer next to the one that was expected, both as raters read them. */
export interface ComparedAnswer {
  criterion: string;
  text: string;
  position: number | null;
  question: string;
  given: string;
  expected: string;
  fits: boolean;
  own_marks: ShownMark[];
  expected_marks: ShownMark[] | null;
}

export interface CountOptions {
  most: number;
}

/** Where a trial is in its document: after trial `first`, as number `segment`, from 1. */
export interface DocumentPlace {
  first: number;
  segment: number;
  segments: number;
}

/** What the authors say about the answers to a practice example, and what follows from them. */
export interface Feedback {
  feedback: string;
  answers: ComparedAnswer[];
  passed: boolean | null;
  may_try_again: boolean;
  tries_left: number;
  ends_the_work: boolean;
}

/** The trees of texts that some screen shows as Markdown; those of dialogues by turn. */
export interface Formatted {
  input?: Node[] | null;
  reference?: Node[] | null;
  context?: (Node[] | null)[];
  outputs?: (Node[] | null)[];
  input_turns?: (Node[] | null)[];
  outputs_turns?: (Node[] | null)[][];
}

export interface ImagesInput {
  kind: "images";
  images: PlacedPicture[];
  columns: number | null;
  rows: number | null;
}

export interface LikertOptions {
  points: number;
  labels: string[];
}

/** An error in a text, marked or suggested. One without a place says that words are missing. */
export interface Mark {
  id: number;
  side: "output" | "source";
  start: number | null;
  end: number | null;
  text: string;
  severity: string;
  category: string;
  note: string;
  missing: boolean;
  prefilled?: string;
  confirmed?: boolean;
}

/** One trial or practice example: only what some screen shows of it. */
export interface Material {
  places: number;
  orders?: Record<string, string[]>;
  input?: TextInput | MeaningInput | TablesInput | ImagesInput;
  reference?: string;
  context?: string[];
  outputs?: string[];
  marks?: Mark[][];
  input_file?: TrialFile | null;
  output_files?: (TrialFile | null)[];
  input_length?: number;
  input_attributes?: number;
  formatted?: Formatted;
  document?: DocumentPlace;
  has_feedback?: true;
  feedback?: string;
}

export interface MeaningInput {
  kind: "mr";
  pairs: [string, string][];
  in_words?: boolean;
  order?: number[];
}

export interface MrCoverageOptions {
  most_added: number;
}

export type Node = string | (Node | Record<string, string>)[];

/** All that a work page hands to its scripts. */
export interface PageDocument {
  screens: ScreenQuestions[];
  trials: Material[];
  practice: Material[];
  practice_gate: boolean;
  pictures: string[];
  breaks: Breaks;
  seconds_per_screen: number;
  least_seconds: number;
  standard_input: TextInput | MeaningInput | TablesInput | ImagesInput | null;
  devices: "any" | "desktop";
  traces?: true;
  copying?: "inconvenient";
  preview: boolean;
  version: number;
  assignment: number;
  rater: string;
  stored: [number, number][];
  addresses: Addresses;
  instruments: Record<string, string>;
  words: Record<string, string>;
  instrument_words: Record<string, Record<string, string>>;
}

export interface PlacedPicture {
  picture: number;
  x: number;
  y: number;
}

/** What a rater did with a picture, sound or film. */
export interface PlayedFile {
  place: number | null;
  kind: string;
  events: [string, number, number][];
  played: [number, number][];
  ended: boolean;
}

export interface PreferenceOptions {
  ties: boolean;
  both_bad: boolean;
}

export interface Question {
  criterion: string;
  about: "output" | "item";
  required: boolean;
  instrument: string;
  options: Record<string, unknown>;
  cannot_judge?: true;
  reasons?: string[];
}

/** `standard` is the standard's score; the track ends at `track_end`, numbers may go beyond. */
export interface RankMeOptions {
  standard: number;
  track_end: number;
  largest: number;
}

/** The answer to a stored submission. */
export interface Receipt {
  key: string;
  revision: number;
  late: boolean;
  surplus: boolean;
  answered_elsewhere: boolean;
  ends_the_work: boolean;
  try_again: boolean;
}

/** A problem with a submission; `place` names the answer that it is about. */
export interface Refusal {
  place: string;
  message: string;
}

/** What a rater reports as wrong with a screen. */
export interface Report {
  version: number;
  key: string;
  assignment: number;
  screen: number;
  trial: number | null;
  complaint: string;
}

export interface ScreenQuestions {
  ask: Question[];
  timed: TimedPhase | null;
  comment: boolean;
  closes_document?: true;
}

/** That a rater looked at something in another way: at a text's source, at differences. */
export interface ScreenView {
  view: string;
  place?: number;
  on: boolean;
  at_ms: number;
  reload: number;
}

/** A mark with how severe it looks, from 0 to 3. */
export interface ShownMark {
  id: number;
  side: "output" | "source";
  start: number | null;
  end: number | null;
  text: string;
  severity: string;
  category: string;
  note: string;
  missing: boolean;
  prefilled?: string;
  confirmed?: boolean;
  level: number;
}

/** `confirm` shows a box with which a rater confirms the handle where it is. */
export interface SliderOptions {
  minimum: number;
  maximum: number;
  confirm: boolean;
  start: number | null;
  faces: boolean;
}

/** A category's path has `/` between its levels; the most specific weight counts. */
export interface SpansOptions {
  severities: [string, string][];
  categories: [string, string][];
  weights: string;
  most: number;
  overlaps: boolean;
  missing: boolean;
  source: boolean;
  notes: boolean;
  unconfirmed: "ask" | "count" | "leave_out";
  whole_words: boolean;
  score: boolean;
  score_step: number;
  anchors: [string, string][];
  bands: boolean;
  needs_mark_below: number | null;
}

/** A screen's answers. */
export interface Submission {
  version: number;
  key: string;
  assignment: number;
  screen: number;
  trial: number;
  answers: Answer[];
  times: Times;
  comment: string;
  replaces: string | null;
  trace?: Trace;
}

export interface Table {
  title: string;
  columns: string[];
  rows: string[][];
}

export interface TablesInput {
  kind: "tables";
  tables: Table[];
}

export interface TextInput {
  kind: "text";
  text: string;
}

/** `characters` lists the characters allowed besides letters, digits and spaces. */
export interface TextOptions {
  least: number;
  most: number;
  characters: string | null;
  least_of_input: number;
  less_per_attribute: number;
  unique: boolean;
}

export interface TimedOptions {
  timeout_ms: number;
}

/** A screen whose time is the measurement: bell and fixation first, then the stimulus. */
export interface TimedPhase {
  initiated: boolean;
  fixation_ms: number;
  bell: boolean;
  timeout_ms: number;
}

/** A screen's times by the browser's clock, in milliseconds since its onset. */
export interface Times {
  frame_ms: number | null;
  timer_ms: number | null;
  cross_origin_isolated: boolean;
  has_mouse: boolean;
  onset: number;
  spent_ms: number;
  active_ms: number;
  hidden: [number, number][];
  paused: [number, number][];
  blurs: number;
  reloads: number;
  early?: number[];
  views?: ScreenView[];
  input: string;
  files?: PlayedFile[];
}

/** How a screen was worked on, in sums: no text, place or key. Lengths are in characters. */
export interface Trace {
  events: number;
  untrusted: number;
  webdriver: number;
  presses: number;
  centred: number;
  instant: number;
  jumps: number;
  touches: number;
  pens: number;
  alone: number;
  path_px: number;
  stops: number;
  keys: number;
  key_mean_ms: number;
  key_sd_ms: number;
  typed: number;
  composed: number;
  pasted: number;
  pasted_own: number;
  dropped: number;
  inserted: number;
  copied: number;
  leaves: number;
  away_ms: number;
  after_return: number;
  last_ms: number;
  obeyed: number;
}

/** A picture, sound or film as the browser needs it, and nothing else about it. */
export interface TrialFile {
  address: string;
  kind: "picture" | "sound" | "film";
  alt: string;
  seconds: number | null;
}
