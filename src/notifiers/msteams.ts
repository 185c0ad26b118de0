import { inertText } from './inert-text.ts';
import { type AlertFormat, type AlertMessage, workloadName } from './notifier.ts';

/** Microsoft Teams: a MessageCard for its connectors (05-A44), an Adaptive Card for Workflows (05-W8). */
export const msteams: AlertFormat = {
  body: (message, { format }) => (format === 'adaptiveCard' ? adaptiveCard(message) : messageCard(message)),
};

const LINK_NAME = 'Open page';

function messageCard(message: AlertMessage): object {
  const workload = workloadName(message);
  return {
    '@type': 'MessageCard',
    '@context': 'http://schema.org/extensions',
    themeColor: message.severity === 'error' ? 'FF0000' : '0076D7',
    summary: workload,
    sections: [{ activityTitle: inertText(message.text), activitySubtitle: workload, facts: factsOf(message) }],
    ...(message.page === undefined
      ? {}
      : { potentialAction: [{ '@type': 'OpenUri', name: LINK_NAME, targets: [{ os: 'default', uri: message.page }] }] }),
  };
}

const colors = { info: 'Accent', warn: 'Warning', error: 'Attention' } as const;

/** Source: Microsoft, "Create and send messages with Incoming Webhook", Adaptive Cards; version 1.4 is what Teams shows everywhere. */
function adaptiveCard(message: AlertMessage): object {
  const facts = factsOf(message).map(({ name, value }) => ({ title: name, value }));
  const content = {
    $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
    type: 'AdaptiveCard',
    version: '1.4',
    body: [
      { type: 'TextBlock', text: inertText(message.text), weight: 'Bolder', color: colors[message.severity], wrap: true },
      { type: 'TextBlock', text: workloadName(message), isSubtle: true, spacing: 'None', wrap: true },
      ...(facts.length > 0 ? [{ type: 'FactSet', facts }] : []),
    ],
    ...(message.page === undefined ? {} : { actions: [{ type: 'Action.OpenUrl', title: LINK_NAME, url: message.page }] }),
  };
  return { type: 'message', attachments: [{ contentType: 'application/vnd.microsoft.card.adaptive', contentUrl: null, content }] };
}

/** Both kinds of card read Markdown there. Source: Microsoft, "Format cards in Microsoft Teams". */
function factsOf({ fields }: AlertMessage): { name: string; value: string }[] {
  return fields.map(({ name, value }) => ({ name: inertText(name), value: inertText(value) }));
}
