import type { Delivery } from '../api/canary-status.ts';
import type { Context } from './context.ts';
import { deliveryLifetimeMs } from './deadlines.ts';
import type { Facts } from './facts.ts';
import { type Announcement, say } from './reasons.ts';

/**
 * Maximum of listed deliveries. The end of a release lists one for each webhook and alert, at most 300; receivers that never answer must not make the status
 * grow.
 */
const MOST_DELIVERIES = 500;
const MOST_NAMED = 10;

/** The messages whose time is not over, and the event that names the others. */
export function withoutLapsed(deliveries: readonly Delivery[], nowMs: number): { left: Delivery[]; announcement?: Announcement } {
  const alive = deliveries.filter((one) => nowMs < one.sinceMs + deliveryLifetimeMs(one));
  const left = alive.slice(-MOST_DELIVERIES);
  if (left.length === deliveries.length) return { left };
  const lapsed = deliveries.filter((one) => !left.includes(one));
  const isTooMany = left.length < alive.length;
  const isNews = lapsed.every(({ outcome }) => outcome === undefined);
  const why = isTooMany ? `since ${MOST_DELIVERIES} newer ones wait` : `after ${isNews ? '15 min' : '24 h'}`;
  return { left, announcement: givenUp(lapsed, why) };
}

/** The event that names messages which are not sent any more. */
export function givenUp(deliveries: readonly Delivery[], why: string): Announcement {
  const names = deliveries.slice(0, MOST_NAMED).map(({ kind, alert, hook }) => {
    if (hook) return `${kind} ${hook.name}`;
    return alert?.to ? `${kind} to ${alert.to.namespace}/${alert.to.name}` : kind;
  });
  const more = deliveries.length > names.length ? `, and ${deliveries.length - names.length} more` : '';
  return say('DeliveryExpired', `Given up ${why}: ${names.join(', ')}${more}`, { warning: true });
}

/** Gives up messages that waited for too long, with one event that names them. */
export function giveUpDeliveries(context: Context, facts: Facts): Context {
  const { left, announcement } = withoutLapsed(context.release.deliveries ?? [], facts.nowMs);
  if (announcement === undefined) return context;
  const attempt = context.attempt + 1;
  const id = `${context.release.run}/${context.release.revision}/${attempt}`;
  return {
    ...context,
    attempt,
    release: { ...context.release, deliveries: left },
    asks: [...context.asks, { kind: 'announce', id, announcement }],
  };
}

/** The receiver has accepted the message, or no attempt can succeed. */
export function withoutDelivery(context: Context, key: string): Context {
  const deliveries = (context.release.deliveries ?? []).filter((one) => one.key !== key);
  return { ...context, release: { ...context.release, deliveries } };
}
