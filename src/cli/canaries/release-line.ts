import type { CanarySummary } from '../../reading/documents/canary-documents.ts';
import { durationText } from '../output/text.ts';
import { imagesText } from './list-command.ts';

/** The last release in one line: its images, how far it is, its begin or its end, and the user who requested that or has paused it. */
export function releaseLines({ release, ending, phase }: CanarySummary): string[] {
  if (release === undefined) return [];
  const { number, began, steps, paused } = release;
  const hasEnded = steps === undefined && ending !== undefined;
  const parts = [
    imagesText(release),
    stepsText(steps),
    hasEnded ? `ended ${ending.at} after ${durationText(secondsBetween(began, ending.at))}` : `began ${began}`,
    paused ? `paused by ${paused.by} since ${paused.since}` : '',
    hasEnded && ending.requester !== undefined ? `${phase === 'Failed' ? 'rolled back' : 'promoted'} by ${ending.requester}` : '',
  ];
  return [`Release ${number}: ${parts.filter(Boolean).join(', ')}`];
}

/** `step 3 of 6`, `iteration 3 of 10`; empty for a release that has ended. */
export function stepsText(steps: NonNullable<CanarySummary['release']>['steps']): string {
  if (steps === undefined) return '';
  return `${steps.unit === 'weight' ? 'step' : 'iteration'} ${steps.at} of ${steps.of}`;
}

const secondsBetween = (from: string, to: string): number => Math.max(0, Math.round((Date.parse(to) - Date.parse(from)) / 1_000));
