import { preciseTimestamp } from '../base/timestamp.ts';
import { fitted } from './fitted.ts';
import { type AlertFormat, withPath } from './notifier.ts';
import { asItIs, plainLimits } from './plain.ts';

/**
 * Alertmanager's v2 API. It distinguishes alerts by their labels, so what differs between two of one kind stands in the annotations; it ends
 * them by its own `resolve_timeout`. Source: prometheus/alertmanager, api/v2/openapi.yaml.
 */
export const alertmanager: AlertFormat = {
  takesToken: true,
  body(message) {
    const { canary, severity, reason, page, releasePage = page, atMs } = message;
    const { text, fields } = fitted(message, plainLimits, asItIs);
    return [
      {
        labels: { alertname: `Canary${reason}`, namespace: canary.namespace, canary: canary.name, severity },
        annotations: { summary: text, description: fields.map(({ name, value }) => `${name}: ${value}`).join('\n') },
        startsAt: preciseTimestamp(atMs),
        ...(releasePage === undefined ? {} : { generatorURL: releasePage }),
      },
    ];
  },
  url: (address) => withPath(address, '/api/v2/alerts'),
};
