import type { Verb } from '../../api/verb-request.ts';
import type { RequestResult } from '../../reading/documents/canary-documents.ts';
import { verbOutcomeWords } from '../canaries/verb-command.ts';
import type { Terminal } from '../output/terminal.ts';
import { cleaned, cut, wrapped } from '../output/text.ts';
import type { KeyPanel } from './live-view.ts';
import type { LiveRelease } from './release-view.ts';

/** Actions of the keys of one Canary. */
export interface KeyActions {
  /** Requests a verb, and waits for the answer. */
  ask(verb: Verb): Promise<Pick<RequestResult, 'outcome' | 'message'>>;
  /** The lines of `serin why`. */
  why(terminal: Terminal): Promise<readonly string[]>;
}

type State =
  | { kind: 'ready' }
  | { kind: 'confirm'; verb: Verb }
  | { kind: 'asked'; what: string }
  | { kind: 'said'; text: string }
  | { kind: 'why'; lines: readonly string[] };

const MOST_LINES = 3;
const CONFIRMED: Readonly<Record<string, Verb>> = { p: 'promote', r: 'rollback' };
const keysLine = (isPaused: boolean): string => `p promote  r rollback  space ${isPaused ? 'resume' : 'pause'}  w why  q quit`;

/** `p`, `r`, space and `w` on the screen of one Canary. */
export class VerbKeys implements KeyPanel<LiveRelease> {
  readonly #actions: KeyActions;
  readonly #redraw: () => void;
  #state: State = { kind: 'ready' };
  #terminal: Terminal;

  constructor(actions: KeyActions, redraw: () => void, terminal: Terminal) {
    this.#actions = actions;
    this.#redraw = redraw;
    this.#terminal = terminal;
  }

  heed(key: string, { isPaused }: LiveRelease): boolean {
    const state = this.#state;
    if (state.kind === 'asked') return false;
    if (state.kind === 'why') {
      this.#state = { kind: 'ready' };
      return true;
    }
    if (state.kind === 'confirm') {
      this.#state = { kind: 'ready' };
      if (key === 'y') this.#ask(state.verb);
      return true;
    }
    const verb = CONFIRMED[key];
    if (verb !== undefined) this.#state = { kind: 'confirm', verb };
    else if (key === ' ') this.#ask(isPaused ? 'resume' : 'pause');
    else if (key === 'w') this.#why();
    else this.#state = { kind: 'ready' };
    return key !== 'q';
  }

  cover(terminal: Terminal): readonly string[] | undefined {
    this.#terminal = terminal;
    return this.#state.kind === 'why' ? this.#state.lines.map((line) => cut(line, terminal.columns, terminal)) : undefined;
  }

  footer({ isPaused, report }: LiveRelease, terminal: Terminal): readonly string[] {
    const state = this.#state;
    switch (state.kind) {
      case 'ready':
        return [keysLine(isPaused)];
      case 'confirm':
        return [cut(`${state.verb} ${report.namespace}/${report.name}? y: yes, any other key: no`, terminal.columns, terminal)];
      case 'asked':
        return [`${state.what} …`.replace('…', terminal.unicode ? '…' : '...')];
      case 'said':
        return [
          ...wrapped(cleaned(state.text, terminal), terminal.columns)
            .slice(0, MOST_LINES)
            .map((line) => cut(line, terminal.columns, terminal)),
          keysLine(isPaused),
        ];
      case 'why':
        return ['any key: back'];
      default:
        return state satisfies never;
    }
  }

  #ask(verb: Verb): void {
    this.#wait(`${verb} requested, waiting for the answer of the controller`, async () => {
      const { outcome, message } = await this.#actions.ask(verb);
      return { kind: 'said', text: message ?? `${verb}: ${verbOutcomeWords[outcome]}` };
    });
  }

  #why(): void {
    this.#wait('reading', async () => ({ kind: 'why', lines: await this.#actions.why(this.#terminal) }));
  }

  #wait(what: string, answer: () => Promise<State>): void {
    this.#state = { kind: 'asked', what };
    const end = (state: State) => {
      this.#state = state;
      this.#redraw();
    };
    answer().then(end, (error: unknown) => end({ kind: 'said', text: error instanceof Error ? error.message : String(error) }));
  }
}
