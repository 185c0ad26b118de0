import { describe, expect, it } from 'vitest';
import { isRecord } from '../../src/base/json.ts';
import { formats } from '../../src/notifiers/index.ts';
import type { AlertFormat, AlertMessage, ReceiverSettings } from '../../src/notifiers/notifier.ts';
import { raw } from '../fakes/raw.ts';
import { messagesOfReleases } from './notifiers/alerts-of-releases.ts';
import { notifierCases } from './notifiers/index.ts';
import type { NotifierCase } from './notifiers/notifier-case.ts';

const settings: ReceiverSettings = { address: 'https://chat.example.org/hook', channel: 'releases', username: 'serin' };
interface Service {
  format: AlertFormat;
  settings: ReceiverSettings;
  limits: NotifierCase['limits'];
}
const serviceOf = (type: keyof typeof formats, to = settings): Service => ({
  format: formats[type],
  settings: to,
  limits: notifierCases[type].limits,
});
const services: Record<string, Service> = {
  ...Object.fromEntries((Object.keys(formats) as (keyof typeof formats)[]).map((type) => [type, serviceOf(type)])),
  'msteams-adaptive-card': serviceOf('msteams', { ...settings, format: 'adaptiveCard' }),
};
const payload = (service: string, message: AlertMessage): object => {
  const { format, settings: to } = services[service] ?? serviceOf('slack');
  return format.body(message, to);
};

describe.each(Object.keys(services))('alerts to %s', (service) => {
  it('of each kind are as the golden file has them', async () => {
    const { format } = services[service] ?? serviceOf('slack');
    const sent = Object.entries(messagesOfReleases()).filter(([, message]) => format.wants?.(message) !== false);
    const bodies = sent.map(([kind, message]) => [kind, payload(service, message)]);
    await expect(`${JSON.stringify(Object.fromEntries(bodies), null, 2)}\n`).toMatchFileSnapshot(
      new URL(`../golden/alerts/${service}.json`, import.meta.url).pathname,
    );
  });

  const long = (text: string) => text.repeat(Math.ceil(100_000 / text.length)).slice(0, 100_000);
  it.each(['x', '<', '&', '@all ', '[a](b) ', '界', '🚀', '\u0001', '"', '\ud800'])(
    'of a tenant who repeats %j stay within its limits, and keep their links',
    (text) => {
      const page = `https://serin.example.org/canaries/${'n'.repeat(63)}/${'c'.repeat(253)}`;
      const body = payload(service, {
        ...messagesOfReleases()['gate before the promotion'],
        canary: { namespace: 'n'.repeat(63), name: 'c'.repeat(253) },
        text: long(text),
        fields: Array.from({ length: 200 }, (_, nth) => ({ name: `${nth}${long(text)}`, value: nth === 3 ? '' : long(text) })),
        page,
        releasePage: `${page}/releases/1`,
      });
      const isTooLong = page.length > (services[service]?.limits.texts?.target_url ?? 1_000);
      if (isTooLong) expect(JSON.stringify(body)).not.toContain('https://serin');
      else expect(JSON.stringify(body)).toContain(`${page}/releases/1"`);
      expect(exceeded(service, body)).toEqual([]);
      expect(JSON.stringify(body)).not.toMatch(/"(value|text|title|name|activityTitle)":""/);
    },
  );
});

/** The limits that the services publish, checked on the body itself. */
function exceeded(service: string, body: object): string[] {
  const bytes = Buffer.byteLength(JSON.stringify(body));
  const found: string[] = [];
  const atMost = (what: string, size: number, most: number) => {
    if (size > most) found.push(`${what}: ${size} of ${most}`);
  };
  const texts = (value: unknown): string[] =>
    typeof value === 'string' ? [value] : typeof value === 'object' && value !== null ? Object.values(value).flatMap(texts) : [];
  const { bytes: mostBytes, attachment: most, texts: mostOf = {} } = services[service]?.limits ?? {};
  if (mostBytes !== undefined) atMost('bytes', bytes, mostBytes);
  for (const [field, longest] of Object.entries(mostOf)) atMost(field, String(raw(body)[field] ?? '').length, longest);
  if (most === undefined) return found;
  if (!('attachments' in body) || !Array.isArray(body.attachments)) throw new Error('no attachments');
  for (const one of body.attachments) {
    if (!isRecord(one) || !Array.isArray(one.fields)) throw new Error('no attachment');
    const { text, author_name: author, fields } = one;
    atMost('fields', fields.length, most.fields);
    const shown = [text, author, ...fields.map(({ title, value }) => [title, value])];
    atMost('all', texts(shown).join('').length, most.all);
    atMost('text', String(text).length, most.text);
    for (const field of fields) atMost('value', field.value.length, most.value);
    if (most.name !== undefined)
      for (const name of [author, ...fields.map(({ title }) => title)]) atMost('name', String(name).length, most.name);
  }
  return found;
}

describe('the way to an approval', () => {
  const approveOf = (dashboardUrl: string) => {
    const messages = messagesOfReleases(dashboardUrl);
    return [messages['gate before the promotion'].approve, messages['gate before more traffic'].approve];
  };
  it('is the page where there is a dashboard, and a command in any case', () => {
    expect(approveOf('https://serin.example.org')[0]).toBe('on the page, or with serin promote checkout --namespace shop');
    expect(approveOf('')[0]).toBe('serin promote checkout --namespace shop');
  });
  it('is the gate itself before more traffic: promote would end the analysis', () => {
    expect(approveOf('')[1]).toBe(
      'open the gate confirm-traffic-increase, where its owner keeps it; serin why checkout --namespace shop shows what it answered',
    );
  });
});

describe('pages', () => {
  const pagesOf = (journalLimit: string) =>
    Object.values(messagesOfReleases(journalLimit)).map(({ reason, page, releasePage }) => ({ reason, page, releasePage }));
  it('of a release are named only at its end: before that, the page of the Canary shows it', () => {
    const page = 'https://serin.example.org/canaries/shop/checkout';
    for (const one of pagesOf('https://serin.example.org'))
      expect(one).toEqual({
        reason: one.reason,
        page,
        releasePage: ['Failed', 'PromotionFailed', 'Succeeded'].includes(one.reason) ? `${page}/releases/1` : undefined,
      });
    for (const one of pagesOf('')) expect(one).toEqual({ reason: one.reason, page: undefined, releasePage: undefined });
  });
});

describe('a thread', () => {
  const message = messagesOfReleases().promoted;
  const url = (address: string, one: AlertMessage = message) => formats.gchat.url?.(new URL(address), one).href;
  it('of Google Chat has all alerts of a release, and no alerts of another release', () => {
    const threads = Object.values(messagesOfReleases()).map(({ reason, thread }) => `${reason} ${thread}`);
    expect(new Set(threads)).toEqual(
      new Set([
        'Initialized serin/c-1/0',
        ...['NewRevision', 'GateClosed', 'Failed', 'PromotionFailed', 'Succeeded'].map((reason) => `${reason} serin/c-1/1`),
      ]),
    );
    expect(payload('gchat', message)).toMatchObject({ thread: { threadKey: 'serin/c-1/1' } });
    expect(url('https://chat.googleapis.com/v1/spaces/A/messages?key=k&token=t')).toBe(
      'https://chat.googleapis.com/v1/spaces/A/messages?key=k&token=t&messageReplyOption=REPLY_MESSAGE_FALLBACK_TO_NEW_THREAD',
    );
  });
  it.each(['threadKey=mine', 'messageReplyOption=REPLY_MESSAGE_OR_FAIL'])('that the address chooses stays: %s', (choice) => {
    const address = `https://chat.googleapis.com/v1/spaces/A/messages?${choice}`;
    expect(url(address)).toBe(address);
    expect(formats.gchat.body(message, { ...settings, address })).not.toHaveProperty('thread');
  });
  it('is none for an alert that an earlier version has listed', () => {
    expect(url('https://chat.googleapis.com/x', { ...message, thread: undefined })).toBe('https://chat.googleapis.com/x');
  });
});

it.each([
  { address: 'https://prod-1.westus.logic.azure.com/workflows/x', card: 'AdaptiveCard' },
  { address: 'https://a.environment.api.powerplatform.com/powerautomate/x', card: 'AdaptiveCard' },
  { address: 'https://acme.webhook.office.com/webhookb2/x', card: 'MessageCard' },
  { address: 'https://logic.azure.com.example.org/x', card: 'MessageCard' },
])('Teams gets a card of type $card at $address', ({ address, card }) => {
  const body = formats.msteams.body(messagesOfReleases().promoted, { ...settings, address });
  expect(JSON.stringify(body)).toContain(`type":"${card}"`);
});
