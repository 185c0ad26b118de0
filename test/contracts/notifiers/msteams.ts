import { type NotifierCase, page, plain } from './notifier-case.ts';

export const msteams: NotifierCase = {
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
  docs: {
    is: 'a Workflow (Adaptive Card) or a connector (MessageCard): by the host of the address, or by `format: adaptiveCard` or `messageCard`. Microsoft retires the connectors; make a Workflow',
    keys: '`address`',
  },
  pictures: { msteams: 'Teams, connector (MessageCard)', 'msteams-adaptive-card': 'Teams, Workflow (Adaptive Card)' },
  limits: { bytes: 28 * 1024 },
};
