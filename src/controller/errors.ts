import type { NewBlocker } from '../api/blocker.ts';
import { adoptField, blockerText } from '../api/blocker-text.ts';
import type { ObjectRef } from '../api/kube-object.ts';

/** An expected blocker of one Canary: reported to its owner in a condition and an event, and tried again. */
export abstract class CanaryError extends Error {
  override readonly name = this.constructor.name;
  /** The same as data, for the status. */
  readonly blocker: NewBlocker;

  constructor(blocker: NewBlocker) {
    super(blockerText(blocker));
    this.blocker = blocker;
  }
}

export class NameTakenError extends CanaryError {
  constructor(object: ObjectRef, { canBeAdopted }: { canBeAdopted: boolean } = { canBeAdopted: true }) {
    super({ code: 'NameTaken', object, ...(canBeAdopted ? { field: adoptField } : {}) });
  }
}

export class TargetUnusableError extends CanaryError {
  constructor(problem: string, about: Pick<NewBlocker, 'object' | 'field'> = {}) {
    super({ code: 'TargetUnusable', ...about, detail: problem });
  }
}

/** A kind of object that the cluster does not serve, or that Serin may not read. */
export class ProviderUnavailableError extends CanaryError {}

export class ScalerNotFoundError extends CanaryError {
  constructor(object: ObjectRef) {
    super({ code: 'ScalerNotFound', object, field: 'spec.autoscalerRef' });
  }
}

export class ScalerUnavailableError extends CanaryError {}

export class TemplateLeftoverError extends CanaryError {
  constructor(object: ObjectRef, field: string) {
    super({ code: 'TemplateLeftover', object, field });
  }
}

export class NoPromotedTemplateError extends CanaryError {
  constructor(object: ObjectRef) {
    super({ code: 'NoPromotedTemplate', object });
  }
}

export class ConfigUnavailableError extends CanaryError {}

export class ConfigCopyError extends CanaryError {
  constructor(object: ObjectRef, why: string) {
    super({ code: 'ConfigCopyRejected', object, detail: why });
  }
}
