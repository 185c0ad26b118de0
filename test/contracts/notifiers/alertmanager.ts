import { type NotifierCase, page } from './notifier-case.ts';

export const alertmanager: NotifierCase = {
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
  docs: {
    is: 'its v2 API: alerts `Canary<reason>` with the labels `namespace`, `canary` and `severity`, which end by its `resolve_timeout`',
    keys: '`address`, `token` (Bearer)',
  },
  title: 'Alertmanager',
  limits: { bytes: 128 * 1024 },
};
