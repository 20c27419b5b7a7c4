// Types of /js/daicho.js (`window.daicho`) and /js/daicho.mjs.

export interface Options {
  /** A public key, `dk_pub_…`. */
  key?: string;
  /** The base URL of daicho, such as `https://daicho.example`; by default the one that the script was loaded from. */
  base?: string;
  /** Whether `p-street-address` suggests addresses too; by default false. */
  suggest?: boolean;
}

export interface Cancel {
  signal?: AbortSignal;
}

/** The texts that fields are filled with, by the words of `data-daicho`. */
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
  /** The name of a large business with its own postal code; else empty. */
  business?: string;
  'business-kana'?: string;
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
  /** The text of the choice in a list. */
  label: string;
  parts: Parts;
}

export interface Suggestion extends Choice {
  /** The parts of the label that match the typed text: pairs of offsets. */
  marked: [number, number][];
  /** A text to show after the label, such as the postal code of a place. */
  note: string;
  /** Corporations only: whether it is closed. */
  isClosed?: boolean;
  /** Towns with several postal codes only: pass it as `parent` to get the parts of the town. */
  parent?: string | null;
}

export interface SuggestOptions extends Cancel {
  /** 1 to 20; by default 10. */
  limit?: number;
  /** The code of a prefecture (2 digits) or municipality (5 digits) whose places come first. */
  near?: string;
  /** The `parent` of a suggestion, to get its parts. */
  parent?: string;
  /** The bank code; required for branches. */
  bank?: string;
}

/** The server rejected a request, or did not respond (status 0), or the key is a secret one (status 0). */
export class DaichoError extends Error {
  status: number;
  /**
   * As in /docs/errors, such as `origin_not_allowed`. Without a response `timeout` (after 10 seconds),
   * `secret_key_in_page`, or empty.
   */
  code: string;
}

/** Sets the key and the server without watching the page. */
export function configure(options: Options): void;

/** Sets the key and the server, and starts watching the page. The script tag calls it by itself. */
export function start(options?: Options): void;

/**
 * Prepares fields that were added to the page. Without it, a field is prepared when it gets the focus. The fields of a
 * closed shadow root work only after this call with the root.
 */
export function attach(root?: ParentNode): void;

/** Returns the places of a postal code in any spelling; an empty list if the code is unknown or incomplete. */
export function lookup(code: string, options?: Cancel): Promise<Choice[]>;

/** Returns the corporation with a number of 13 digits, or null. */
export function corporation(number: string, options?: Cancel): Promise<Choice | null>;

/** Returns suggestions for typed text, best first. */
export function suggest(
  kind: 'address' | 'corporation' | 'bank' | 'branch',
  typed: string,
  options?: SuggestOptions,
): Promise<Suggestion[]>;

/** Fills the block of an element from a postal code, by default the one in its fields. Returns the places. */
export function fill(element: Element, code?: string): Promise<Choice[]>;

export interface FillEvent extends CustomEvent {
  detail: {
    /** The part whose code was looked up; absent if the user made a choice. */
    part?: string;
    code?: string;
    choices: Choice[];
    /** Fields with text of the user, which was not overwritten: the whole value, or what the user had added to it. */
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
