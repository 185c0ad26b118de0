import type { HookType } from '../../../src/api/canary.ts';
import type { HookAnswer } from '../hook-server.ts';
import type { RowName } from './table.ts';

/** One moment of a release in which a user makes a request, held by what a cluster has, and by no clock. */
export interface Place {
  /** The Canary of it. */
  name: string;
  /** Row in the table. */
  row: RowName;
  /** A user has paused it there. */
  isPaused: boolean;
  /** `phase.step`. */
  at: string;
  /** Its webhooks, and their answers before the place is reached. */
  gates: Readonly<Partial<Record<HookType, HookAnswer>>>;
  /** Environment variables of the containers that make the release stall there; of the first version, or of the pushed version. */
  env?: Readonly<Record<string, string>>;
  /** No release: this is the state right after the Canary was created. */
  isUnborn?: true;
  /** A place on the way, from which on the routes cannot be written and these hooks answer otherwise. */
  via?: { at: string; gates: Readonly<Partial<Record<HookType, HookAnswer>>> };
  /** Answers of the hooks once the Canary has reached the place. */
  afterwards?: Readonly<Partial<Record<HookType, HookAnswer>>>;
}

const CLOSED = 403;
const OPEN = 200;
/** Lets the canary have its first requests, and no more. */
const FIRST_STEP: HookAnswer = ({ canaryWeight }) => (canaryWeight === 0 ? OPEN : CLOSED);

const waiting = {
  row: 'waiting',
  at: 'Waiting.gate',
  gates: { 'confirm-rollout': CLOSED, 'confirm-traffic-increase': FIRST_STEP },
} as const;
const progressing = { row: 'progressing', at: 'Progressing.analysing', gates: { 'confirm-traffic-increase': FIRST_STEP } } as const;
const waitingPromotion = { row: 'waitingPromotion', at: 'WaitingPromotion.analysing', gates: { 'confirm-promotion': CLOSED } } as const;

export const places: readonly Place[] = [
  {
    name: 'initializing',
    row: 'unborn',
    isPaused: false,
    at: 'Initializing.creatingPrimary',
    gates: {},
    env: { NEVER_READY: '1' },
    isUnborn: true,
  },
  { name: 'initialized', row: 'initialized', isPaused: false, at: 'Initialized.resting', gates: {}, isUnborn: true },
  { name: 'waiting', isPaused: false, ...waiting },
  { name: 'waiting-paused', isPaused: true, ...waiting },
  { name: 'progressing', isPaused: false, ...progressing },
  { name: 'progressing-paused', isPaused: true, ...progressing },
  { name: 'waiting-promotion', isPaused: false, ...waitingPromotion },
  { name: 'waiting-promotion-paused', isPaused: true, ...waitingPromotion },
  {
    name: 'promoting',
    row: 'promoting',
    isPaused: false,
    at: 'Promoting.awaitingPrimary',
    gates: {},
    env: { NEVER_READY_AS_PRIMARY: '1' },
  },
  {
    name: 'finalising',
    row: 'promoting',
    isPaused: false,
    at: 'Finalising.returningTraffic',
    gates: { 'confirm-promotion': CLOSED },
    via: { at: 'WaitingPromotion.analysing', gates: { 'confirm-promotion': OPEN } },
  },
  {
    name: 'succeeded',
    row: 'succeeded',
    isPaused: false,
    at: 'Succeeded.resting',
    gates: { 'confirm-traffic-increase': OPEN },
    afterwards: { 'confirm-traffic-increase': FIRST_STEP },
  },
  {
    name: 'failed',
    row: 'failed',
    isPaused: false,
    at: 'Failed.resting',
    gates: { rollback: OPEN, 'confirm-traffic-increase': FIRST_STEP },
    afterwards: { rollback: CLOSED },
  },
  {
    name: 'going-home',
    row: 'goingHome',
    isPaused: false,
    at: 'Failed.returningTraffic',
    gates: { rollback: CLOSED, 'confirm-traffic-increase': FIRST_STEP },
    via: { at: 'Progressing.analysing', gates: { rollback: OPEN } },
  },
];
