import type { SeenRequest } from '../api/verb-request.ts';
import { announcementOf } from './changes/verbs.ts';
import type { Context } from './context.ts';
import type { Facts } from './facts.ts';
import { moveBy, type Passage } from './passage.ts';
import { withOutcome } from './request-outcome.ts';
import { beginningOf, pathOf, phaseOf, resolve } from './snapshot.ts';
import { isNotedOnly, pendingRequest, refusalOf } from './verbs.ts';

/** Carries out a user's request, or refuses it, in the step that first sees it, and records the outcome (E70). */
export function carryOutRequest(passage: Passage): Passage {
  const { now, event } = passage;
  const { facts } = event;
  const { value, context } = now;
  const asked = pendingRequest(context.release, facts);
  const phase = phaseOf(now);
  const [, step = ''] = pathOf(value);
  if (asked === undefined || phase === '') return passage;
  const reason = refusalOf(asked, phase, { ...context.release, step }, facts);
  // The controller reports the outcome of these later.
  const isAsked = reason === undefined && 'verb' in asked && (asked.verb === 'undo' || asked.verb === 'restart');
  if (reason === undefined && 'verb' in asked && isNotedOnly(asked, phase, { step })) {
    const noted = { ...context, release: { ...context.release, retry: asked } };
    return { ...passage, now: resolve(value, withAnswer(noted, asked, facts.nowMs)) };
  }
  const answeredNow = { ...passage, now: resolve(value, isAsked ? context : withAnswer(context, asked, facts.nowMs, reason)) };
  if (reason !== undefined || 'problem' in asked) return answeredNow;
  const moved = moveBy(answeredNow, { type: 'REQUEST', facts, request: asked });
  // A pause drops the open question, and a resumed release begins the step's own part again.
  const isHeld = asked.verb === 'pause' || asked.verb === 'resume';
  const again = { ...moved, now: resolve(beginningOf(phase, step), moved.now.context) };
  const stood = isHeld ? moveBy(again, { type: 'RESUME', facts }) : moved;
  const asks = stood.now.context.asks.filter((one) => one.kind === 'announce' || one.id === stood.now.context.open);
  return { ...stood, now: resolve(stood.now.value, { ...stood.now.context, asks }) };
}

/** A suspended Canary refuses every request, with that reason. */
export function refuseFrozen(context: Context, facts: Facts): Context {
  const asked = pendingRequest(context.release, facts);
  if (asked === undefined || context.recorded === undefined) return context;
  return withAnswer(context, asked, facts.nowMs, refusalOf(asked, context.recorded.phase, context.release, facts));
}

function withAnswer(context: Context, asked: SeenRequest, nowMs: number, reason?: string): Context {
  const attempt = context.attempt + 1;
  const release = withOutcome(context.release, asked, nowMs, reason);
  const id = `${release.run}/${release.revision}/${attempt}`;
  return { ...context, attempt, release, asks: [...context.asks, { kind: 'announce', id, announcement: announcementOf(asked, reason) }] };
}
