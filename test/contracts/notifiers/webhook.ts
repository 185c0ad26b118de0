import { type NotifierCase, page } from './notifier-case.ts';

export const webhook: NotifierCase = {
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
  docs: { is: 'plain JSON for a receiver of your own', keys: '`address`, `token` (Bearer), `signingKey`' },
  title: 'The generic webhook',
  limits: { bytes: 128 * 1024 },
};
