// Types of /js/daicho.js (`window.daicho`) and /js/daicho.mjs.

export interface Options {
  /** A public key, `dk_pub_…`. */
  key?: string;
  /** Where daicho is, such as `https://daicho.example`; where the script came from unless given. */
  base?: string;
  /** Whether `p-street-address` suggests too; false unless given. */
  suggest?: boolean;
}

export interface Cancel {
  signal?: AbortSignal;
}

/** The texts that fields are filled with, by the names that `data-daicho` takes. */
export interface Parts {
  'postal-code'?: string;
  'prefecture-code'?: string;
  'city-code'?: string;
  prefecture?: string;
  'prefecture-kana'?: string;
  city?: string;
  'city-kana'?: string;
  town?: string;
  'town-kana'?: string;
  building?: string;
  'corporate-number'?: string;
  'invoice-number'?: string;
  company?: string;
  'company-kana'?: string;
  bank?: string;
  'bank-code'?: string;
  'bank-kana'?: string;
  branch?: string;
  'branch-code'?: string;
  'branch-kana'?: string;
}

export interface Choice {
  /** One line for a person to choose by. */
  label: string;
  parts: Parts;
}

export interface Suggestion extends Choice {
  /** Where the label has what was typed: pairs of offsets. */
  marked: [number, number][];
  note: string;
  /** Of a corporation: whether it is closed. */
  isClosed?: boolean;
  /** Of a town of several codes: asks for its parts. */
  parent?: string | null;
}

export interface SuggestOptions extends Cancel {
  /** 1 to 20, 10 unless given. */
  limit?: number;
  /** A prefecture (2 digits) or municipality (5 digits) whose rows come first among equals. */
  near?: string;
  /** The `parent` of a suggestion, for its parts. */
  parent?: string;
  /** The code of the bank, for branches. */
  bank?: string;
}

/** The server refused a question, or did not answer (status 0). */
export class DaichoError extends Error {
  status: number;
  /** As in /docs/errors, such as `origin_not_allowed`; may be empty. */
  code: string;
}

/** Sets key and server without watching the page. */
export function configure(options: Options): void;

/** Sets key and server, and begins to watch the page. The tag with `data-key` calls it by itself. */
export function start(options?: Options): void;

/** Makes fields ready that were added to the page; without it they are once they have the focus. */
export function attach(root?: ParentNode): void;

/** The places of a postal code in any writing; an empty list where it is not known or not complete. */
export function lookup(code: string, options?: Cancel): Promise<Choice[]>;

/** The corporation of a number of 13 digits. */
export function corporation(number: string, options?: Cancel): Promise<Choice | null>;

/** Suggestions for what was typed, best first. */
export function suggest(
  kind: 'address' | 'corporation' | 'bank' | 'branch',
  typed: string,
  options?: SuggestOptions,
): Promise<Suggestion[]>;

/** Fills the block of an element from a postal code, or from the one that its fields hold. */
export function fill(element: Element, code?: string): Promise<Choice[]>;

export interface FillEvent extends CustomEvent {
  detail: {
    /** The part whose code was looked up; absent where a person chose. */
    part?: string;
    code?: string;
    choices: Choice[];
    /** Fields that hold something else and were left as they are. */
    kept: Element[];
  };
}

declare const daicho: {
  configure: typeof configure;
  start: typeof start;
  attach: typeof attach;
  lookup: typeof lookup;
  corporation: typeof corporation;
  suggest: typeof suggest;
  fill: typeof fill;
  DaichoError: typeof DaichoError;
};

export default daicho;

declare global {
  interface Window {
    daicho: typeof daicho;
  }
  interface HTMLElementEventMap {
    'daicho:fill': FillEvent;
    'daicho:none': CustomEvent<{ part: string; code: string }>;
    'daicho:error': CustomEvent<{ error: DaichoError }>;
  }
}
