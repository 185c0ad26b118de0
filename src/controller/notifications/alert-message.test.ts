import { expect, it } from 'vitest';
import { Delivery } from '../../api/canary-status.ts';

const details = { release: 1, revision: 's1:a', weight: 0, checks: [] };
const delivery = { key: 'k', kind: 'alert', message: 'm', sinceMs: 0, alert: { reason: 'Failed', severity: 'error', fields: [] } };
const read = (given: object) => Delivery.parse({ ...delivery, alert: { ...delivery.alert, details: given } }).alert?.details;

it('details of an alert in a stored status are read', () => expect(read(details)).toEqual(details));

it.each([
  { what: 'too long', given: { ...details, revision: 'x'.repeat(40_000) } },
  { what: 'too many', given: { ...details, checks: Array.from({ length: 9_999 }, () => ({ check: 'c', verdict: 'failed' })) } },
  { what: 'of another form', given: { ...details, release: 'one' } },
])('I16: details that are $what are left out, and the alert stays', ({ given }) => expect(read(given)).toBeUndefined());
