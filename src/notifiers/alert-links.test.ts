import { expect, it } from 'vitest';
import { formats } from './index.ts';

const page = 'https://serin.example/canaries/shop/app';
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
const attachment = { attachments: [{ author_link: page, fields: [{ title: 'Page', value: page, short: false }] }] };

const links = {
  slack: attachment,
  discord: attachment,
  rocket: attachment,
  msteams: { potentialAction: [{ '@type': 'OpenUri', name: 'Open page', targets: [{ os: 'default', uri: page }] }] },
  gchat: {
    cards: [{ sections: [{}, { widgets: [{ buttons: [{ textButton: { text: 'OPEN PAGE', onClick: { openLink: { url: page } } } }] }] }] }],
  },
  webhook: { page },
  alertmanager: [{ generatorURL: page }],
} satisfies Record<keyof typeof formats, object>;

it.each(Object.entries(formats))('an alert to %s links to the page, where there is one', (type, format) => {
  expect(format.body({ ...message, page }, settings)).toMatchObject(links[type as keyof typeof links]);
  expect(JSON.stringify(format.body(message, settings))).not.toMatch(/link|page|action|generatorURL/i);
});

it('an adaptive card opens the page by its action', () => {
  expect(formats.msteams.body({ ...message, page }, { ...settings, format: 'adaptiveCard' })).toMatchObject({
    attachments: [{ content: { actions: [{ type: 'Action.OpenUrl', title: 'Open page', url: page }] } }],
  });
});
