import type { AlertProviderType } from '../../../src/api/alert-provider.ts';
import type { AlertMessage } from '../../../src/notifiers/notifier.ts';

export const message: AlertMessage = {
  key: 'u1/3/s1:ab/Failed/alert',
  canary: { name: 'podinfo', namespace: 'test' },
  severity: 'error',
  reason: 'Failed',
  text: 'Release of podinfo.test was rolled back: <b> & co',
  fields: [
    { name: 'Target', value: 'Deployment/podinfo.test' },
    { name: 'Traffic routing', value: 'Weight <10>' },
  ],
  atMs: Date.UTC(2026, 0, 2, 3, 4, 5),
};

/** The page in the dashboard of an alert that has one. */
export const page = 'https://serin.example/canaries/shop/app';

export interface NotifierCase {
  /** Path at which posts arrive, for an address with the path `/hook/s3cret-path`. */
  path: string;
  /** Written after docs/rules and docs/differences.md, not after what the code does. */
  payload: object;
  /** The part of the body that leads to `page`. */
  link: object;
  /** The severity's form, for `error` and for the others. */
  severity: { error: string; warn: string };
  takesToken: boolean;
  isSigned: boolean;
  /** A 2xx answer that stops early: only reading it shows that. */
  readsBody: boolean;
  /** It never reads a text as markup. */
  showsAsItIs?: true;
  /** Links are written `[words](address)`, and `@all` calls everyone. */
  readsMarkdown?: true;
}

const slackShape = (color: string, escaped: boolean, hasFallback = true) => ({
  channel: 'general',
  username: 'flagger',
  icon_url: '',
  icon_emoji: ':rocket:',
  attachments: [
    {
      color,
      author_name: 'podinfo.test',
      ...(hasFallback && { fallback: `Release of podinfo.test was rolled back: ${escaped ? '&lt;b&gt; &amp; co' : '<b> & co'}` }),
      text: escaped ? 'Release of podinfo.test was rolled back: &lt;b&gt; &amp; co' : 'Release of podinfo.test was rolled back: <b> & co',
      mrkdwn_in: ['text'],
      fields: [
        { title: 'Target', value: 'Deployment/podinfo.test', short: false },
        { title: 'Traffic routing', value: escaped ? 'Weight &lt;10&gt;' : 'Weight <10>', short: false },
      ],
    },
  ],
});
const attachedLink = { attachments: [{ author_link: page, fields: [{ title: 'Page', value: page, short: false }] }] };
const plain = { takesToken: false, isSigned: false, readsBody: false };
const paragraph = (text: string) => ({ widgets: [{ textParagraph: { text } }] });

export const notifierCases: Record<AlertProviderType, NotifierCase> = {
  slack: {
    path: '/hook/s3cret-path',
    payload: slackShape('danger', true),
    link: attachedLink,
    severity: { error: '"color":"danger"', warn: '"color":"warning"' },
    takesToken: true,
    isSigned: false,
    readsBody: true,
  },
  discord: {
    ...plain,
    readsMarkdown: true,
    path: '/hook/s3cret-path/slack',
    payload: slackShape('danger', false, false),
    link: attachedLink,
    severity: { error: '"color":"danger"', warn: '"color":"warning"' },
  },
  rocket: {
    ...plain,
    readsMarkdown: true,
    path: '/hook/s3cret-path',
    payload: slackShape('#FF0000', false),
    link: attachedLink,
    severity: { error: '"color":"#FF0000"', warn: '"color":"#D97706"' },
  },
  msteams: {
    ...plain,
    readsMarkdown: true,
    path: '/hook/s3cret-path',
    payload: {
      '@type': 'MessageCard',
      '@context': 'http://schema.org/extensions',
      themeColor: 'FF0000',
      summary: 'podinfo.test',
      sections: [
        {
          activityTitle: 'Release of podinfo.test was rolled back: <b> & co',
          activitySubtitle: 'podinfo.test',
          facts: [
            { name: 'Target', value: 'Deployment/podinfo.test' },
            { name: 'Traffic routing', value: 'Weight <10>' },
          ],
        },
      ],
    },
    link: { potentialAction: [{ '@type': 'OpenUri', name: 'Open page', targets: [{ os: 'default', uri: page }] }] },
    severity: { error: '"themeColor":"FF0000"', warn: '"themeColor":"D97706"' },
  },
  gchat: {
    ...plain,
    path: '/hook/s3cret-path',
    payload: {
      cards: [
        {
          header: { title: 'Serin', subtitle: 'podinfo.test' },
          sections: [
            paragraph('<font color=#FF0000><strong>Release of podinfo.test was rolled back: &lt;b&gt; &amp; co</strong></font>'),
            paragraph('Target<br><font color=#848484><strong>Deployment/podinfo.test</strong></font>'),
            paragraph('Traffic routing<br><font color=#848484><strong>Weight &lt;10&gt;</strong></font>'),
          ],
        },
      ],
    },
    link: {
      cards: [
        { sections: [{}, { widgets: [{ buttons: [{ textButton: { text: 'OPEN PAGE', onClick: { openLink: { url: page } } } }] }] }] },
      ],
    },
    severity: { error: '<font color=#FF0000>', warn: '<font color=#D97706>' },
  },
  webhook: {
    showsAsItIs: true,
    path: '/hook/s3cret-path',
    payload: {
      key: 'u1/3/s1:ab/Failed/alert',
      name: 'podinfo',
      namespace: 'test',
      severity: 'error',
      reason: 'Failed',
      message: 'Release of podinfo.test was rolled back: <b> & co',
      fields: [
        { name: 'Target', value: 'Deployment/podinfo.test' },
        { name: 'Traffic routing', value: 'Weight <10>' },
      ],
      timestamp: '2026-01-02T03:04:05.000Z',
    },
    link: { page },
    severity: { error: '"severity":"error"', warn: '"severity":"warn"' },
    takesToken: true,
    isSigned: true,
    readsBody: false,
  },
  alertmanager: {
    showsAsItIs: true,
    path: '/hook/s3cret-path/api/v2/alerts',
    payload: [
      {
        labels: { alertname: 'CanaryFailed', namespace: 'test', canary: 'podinfo', severity: 'error' },
        annotations: {
          summary: 'Release of podinfo.test was rolled back: <b> & co',
          description: 'Target: Deployment/podinfo.test\nTraffic routing: Weight <10>',
        },
        startsAt: '2026-01-02T03:04:05.000Z',
      },
    ],
    link: [{ generatorURL: page }],
    severity: { error: '"severity":"error"', warn: '"severity":"warn"' },
    takesToken: true,
    isSigned: false,
    readsBody: false,
  },
};
