import { Verb } from '../../../src/api/verb-request.ts';

/** Number of times that each effect of a verb occurred since the request. */
export interface Effect {
  /** Releases that began. */
  runs: number;
  /** Times that the primary got another template. */
  promotions: number;
  /** Times that the target got another template. */
  templates: number;
  /** Times that the target got pods, having had none. */
  raises: number;
}

/** One field of the table in docs/verbs.md: what a verb does in a phase, or why it is refused there. */
export type Cell =
  | {
      /** Effect in the words of the page. */
      does: string;
      /** `phase.step` in which it ends, or where gates hold it. Absent if it does not move. */
      leadsTo?: string;
      effect: Effect;
    }
  | { refused: string };

export interface Row {
  /** Name of the phase on the page. */
  phase: string;
  does: Readonly<Partial<Record<Verb, Exclude<Cell, { refused: string }>>>>;
  /** Part of the reason, where it is not the usual one. */
  refused?: Readonly<Partial<Record<Verb, string>>>;
}

export const NOTHING: Effect = { runs: 0, promotions: 0, templates: 0, raises: 0 };

const usually: Readonly<Record<Verb, string>> = {
  promote: 'nothing to promote',
  rollback: 'nothing to roll back',
  pause: 'nothing to pause',
  resume: 'it is not paused',
  retry: 'only a failed release is tried again',
  undo: 'only a promotion that is complete is undone',
  restart: 'a primary is restarted only at rest',
};

const promoted = { leadsTo: 'Succeeded.resting', effect: { ...NOTHING, promotions: 1 } };
const takenBack = { leadsTo: 'Failed.resting', effect: NOTHING };
const restarted = { does: 'the pods of the primary are replaced, and nothing is released', effect: NOTHING };
const resumed = { does: 'if paused', effect: NOTHING };

/** The table of docs/verbs.md, which is generated from it; the order is the page's. */
export const rows = {
  unborn: { phase: 'Initializing', does: {} },
  initialized: { phase: 'Initialized, idle', does: { restart: restarted } },
  waiting: {
    phase: 'Waiting (confirm-rollout)',
    does: {
      promote: {
        does: 'approves: the analysis begins',
        leadsTo: 'Progressing.analysing',
        effect: { ...NOTHING, runs: 1, raises: 1 },
      },
      rollback: { does: 'ends it: Failed, and no pod was started', ...takenBack },
      pause: { does: 'the gate is not called, and its opening starts nothing', effect: NOTHING },
      resume: resumed,
    },
  },
  progressing: {
    phase: 'Progressing',
    does: {
      promote: { does: 'the rest of the analysis is left out, if the canary is ready', ...promoted },
      rollback: { does: 'traffic is routed to the primary, Failed', ...takenBack },
      pause: { does: 'stays where it is', effect: NOTHING },
      resume: resumed,
    },
  },
  waitingPromotion: {
    phase: 'WaitingPromotion (confirm-promotion)',
    does: {
      promote: { does: 'approves: the promotion begins', ...promoted },
      rollback: { does: 'traffic is routed to the primary, Failed', ...takenBack },
      pause: { does: 'stays where it is', effect: NOTHING },
      resume: resumed,
    },
  },
  promoting: {
    phase: 'Promoting, Finalising',
    does: {},
    refused: { rollback: 'wait for the end, then undo it', pause: 'which is not stopped half-way' },
  },
  succeeded: {
    phase: 'Succeeded, idle',
    does: {
      undo: {
        does: 'the earlier template goes into the target, and is released',
        leadsTo: 'Progressing.analysing',
        effect: { ...NOTHING, runs: 1, templates: 1, raises: 1 },
      },
      restart: restarted,
    },
  },
  failed: {
    phase: 'Failed, idle',
    does: {
      retry: {
        does: 'the same revision is released once more',
        leadsTo: 'Progressing.analysing',
        effect: { ...NOTHING, runs: 1, raises: 1 },
      },
      restart: restarted,
    },
  },
  goingHome: {
    phase: 'Failed, until its pods have stopped',
    does: {
      retry: {
        does: 'the same revision is released once more when they have',
        leadsTo: 'Progressing.analysing',
        effect: { ...NOTHING, runs: 1, raises: 1 },
      },
    },
  },
} as const satisfies Record<string, Row>;
export type RowName = keyof typeof rows;

/** Expected result of a verb; a paused release can be resumed, and not paused again. */
export function cellOf(name: RowName, verb: Verb, isPaused: boolean): Cell {
  const row: Row = rows[name];
  if (isPaused && verb === 'pause') return { refused: 'it is paused already, by ' };
  if (!isPaused && verb === 'resume') return { refused: usually.resume };
  return row.does[verb] ?? { refused: row.refused?.[verb] ?? usually[verb] };
}

/** The same in Markdown. */
export function tableText(): string {
  const line = (fields: readonly string[]): string => `| ${fields.join(' | ')} |`.replaceAll('|  |', '| |').replaceAll('|  |', '| |');
  const body = Object.values<Row>(rows).map(({ phase, does }) => line([phase, ...Verb.options.map((verb) => does[verb]?.does ?? '')]));
  return [line(['phase', ...Verb.options]), `|${'---|'.repeat(Verb.options.length + 1)}`, ...body].join('\n');
}
