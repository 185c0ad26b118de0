import { preciseTimestamp } from '../api/timestamp.ts';
import type { AlertFormat } from './notifier.ts';

const PATH = '/api/v2/alerts';

/**
 * Alertmanager's v2 API. It distinguishes alerts by their labels, so what differs between two of one kind stands in the annotations; it ends
 * them by its own `resolve_timeout`. Source: prometheus/alertmanager, api/v2/openapi.yaml.
 */
export const alertmanager: AlertFormat = {
  takesToken: true,
  body: ({ canary, severity, reason, text, fields, atMs }) => [
    {
      labels: { alertname: `Canary${reason}`, namespace: canary.namespace, canary: canary.name, severity },
      annotations: { summary: text, description: fields.map(({ name, value }) => `${name}: ${value}`).join('\n') },
      startsAt: preciseTimestamp(atMs),
    },
  ],
  url(address) {
    const url = new URL(address);
    const path = url.pathname.replace(/\/$/, '');
    url.pathname = path.endsWith(PATH) ? path : `${path}${PATH}`;
    return url;
  },
};
