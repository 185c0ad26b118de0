import { adoptField } from '../api/adopt-annotation.ts';
import type { NewBlocker } from '../api/blocker.ts';
import { blockerText } from '../api/blocker-text.ts';
import type { ObjectRef } from '../api/kube-object.ts';
import type { Unmoved } from '../engine/unmoved.ts';

/** An expected blocker of one Canary: reported to its owner in a condition and an event, and tried again. */
export abstract class CanaryError extends Error {
  override readonly name = this.constructor.name;
  abstract readonly code: string;
  /** The same as data, for the status. */
  readonly blocker: NewBlocker;

  constructor(blocker: NewBlocker) {
    super(blockerText(blocker));
    this.blocker = blocker;
  }
}

export class NameTakenError extends CanaryError {
  readonly code = 'NAME_TAKEN';
  constructor(object: ObjectRef, { canBeAdopted }: { canBeAdopted: boolean } = { canBeAdopted: true }) {
    super({ code: 'NameTaken', object, ...(canBeAdopted ? { field: adoptField } : {}) });
  }
}

export class TargetUnusableError extends CanaryError {
  readonly code = 'TARGET_UNUSABLE';
  constructor(problem: string, about: Pick<NewBlocker, 'object' | 'field'> = {}) {
    super({ code: 'TargetUnusable', ...about, detail: problem });
  }
}

/** A kind of object that the cluster does not serve, or that Serin is not permitted to read. */
export class ProviderUnavailableError extends CanaryError {
  readonly code = 'PROVIDER_UNAVAILABLE';
}

export class ScalerNotFoundError extends CanaryError {
  readonly code = 'SCALER_MISSING';
  constructor(object: ObjectRef) {
    super({ code: 'ScalerNotFound', object, field: 'spec.autoscalerRef' });
  }
}

export class ScalerUnavailableError extends CanaryError {
  readonly code = 'SCALER_UNAVAILABLE';
}

export class TemplateLeftoverError extends CanaryError {
  readonly code = 'TEMPLATE_LEFTOVER';
  constructor(object: ObjectRef, field: string) {
    super({ code: 'TemplateLeftover', object, field });
  }
}

export class NoPromotedTemplateError extends CanaryError {
  readonly code = 'NO_PROMOTED_TEMPLATE';
  constructor(object: ObjectRef) {
    super({ code: 'NoPromotedTemplate', object });
  }
}

export class ConfigUnavailableError extends CanaryError {
  readonly code = 'CONFIG_UNAVAILABLE';
}

export class ConfigCopyError extends CanaryError {
  readonly code = 'CONFIG_COPY_REFUSED';
  constructor(object: ObjectRef, why: string) {
    super({ code: 'ConfigCopyRejected', object, detail: why });
  }
}

/** A defect of Serin, which no owner can mend. */
export class UnmovedDecisionError extends Error {
  override readonly name = 'UnmovedDecisionError';
  readonly code = 'UNMOVED_DECISION';
  constructor({ state, decision }: Unmoved) {
    super(`${state} decides ${decision}, and has no move for it: this is a bug in Serin`);
  }
}
