import { capture } from './capture.ts';
import { clock } from './clock.ts';
import { concealment } from './concealment.ts';
import { crossNamespace } from './cross-namespace.ts';
import { deletion } from './deletion.ts';
import { egress } from './egress.ts';
import { forged } from './forged.ts';
import { outputs } from './outputs.ts';
import { rate } from './rate.ts';
import type { AttackClass } from './run/attack.ts';
import { scaling } from './scaling.ts';
import { sizes } from './sizes.ts';
import { templates } from './templates.ts';
import { verbs } from './verbs.ts';

export const classes: readonly AttackClass[] = [
  templates,
  sizes,
  forged,
  crossNamespace,
  egress,
  concealment,
  outputs,
  verbs,
  capture,
  scaling,
  deletion,
  clock,
  rate,
];
