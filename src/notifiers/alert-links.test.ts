import { expect, it } from 'vitest';
import { notifierCases } from '../../test/contracts/notifiers/index.ts';
import { page } from '../../test/contracts/notifiers/notifier-case.ts';
import { formats } from './index.ts';

const settings = { address: 'http://hook/', channel: 'c', username: 'u' };
const message = {
  key: 'k',
  canary: { name: 'app', namespace: 'shop' },
  severity: 'info',
  reason: 'R',
  text: 't',
  fields: [],
  atMs: 0,
} as const;
it.each(Object.entries(formats))('an alert to %s links to the page, where there is one', (type, format) => {
  expect(format.body({ ...message, page }, settings)).toMatchObject(notifierCases[type as keyof typeof formats].link);
  expect(JSON.stringify(format.body(message, settings))).not.toMatch(/link|page|action|generatorURL/i);
});

it('an adaptive card opens the page by its action', () => {
  expect(formats.msteams.body({ ...message, page }, { ...settings, format: 'adaptiveCard' })).toMatchObject({
    attachments: [{ content: { actions: [{ type: 'Action.OpenUrl', title: 'Open page', url: page }] } }],
  });
});
