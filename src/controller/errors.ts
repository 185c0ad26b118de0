/** An expected obstacle of one Canary: told to its owner in a condition and an event, tried again as `retry` says. */
export abstract class CanaryError extends Error {
  override readonly name = this.constructor.name;
  abstract readonly code: string;
  abstract readonly audience: 'user' | 'operator';
  abstract readonly retry: 'backoff' | 'afterEdit';
}

export class NameTakenError extends CanaryError {
  readonly code = 'NAME_TAKEN';
  readonly audience = 'user';
  readonly retry = 'backoff';
  constructor(kind: string, name: string, { canBeAdopted }: { canBeAdopted: boolean } = { canBeAdopted: true }) {
    const adoption = canBeAdopted ? ', or annotate it serin.dev/adopt=true to hand it over' : '';
    super(`${kind} ${name} exists and is not ours: rename or remove it${adoption}`);
  }
}

export class TargetUnusableError extends CanaryError {
  readonly code = 'TARGET_UNUSABLE';
  readonly audience = 'user';
  readonly retry = 'afterEdit';
}

export class ProviderUnavailableError extends CanaryError {
  readonly code = 'PROVIDER_UNAVAILABLE';
  readonly audience = 'user';
  readonly retry = 'backoff';
}

export class ScalerMissingError extends CanaryError {
  readonly code = 'SCALER_MISSING';
  readonly audience = 'user';
  readonly retry = 'backoff';
  constructor(kind: string, name: string) {
    super(`spec.autoscalerRef: ${kind} ${name} does not exist: create it, or correct the name; nothing goes on until then`);
  }
}

export class ScalerUnavailableError extends CanaryError {
  readonly code = 'SCALER_UNAVAILABLE';
  readonly audience = 'user';
  readonly retry = 'backoff';
}

export class TemplateLeftoverError extends CanaryError {
  readonly code = 'TEMPLATE_LEFTOVER';
  readonly audience = 'user';
  readonly retry = 'backoff';
  constructor(workload: string, field: string) {
    super(
      `${workload} still holds ${field} after the promotion, which the promoted template does not: another controller or webhook puts it back`,
    );
  }
}

export class NoPromotedTemplateError extends CanaryError {
  readonly code = 'NO_PROMOTED_TEMPLATE';
  readonly audience = 'user';
  readonly retry = 'backoff';
  constructor(workload: string) {
    super(`the last promoted template of ${workload} is not kept any more: push a good revision to the target`);
  }
}

export class ConfigUnavailableError extends CanaryError {
  readonly code = 'CONFIG_UNAVAILABLE';
  readonly audience = 'user';
  readonly retry = 'backoff';
}

export class ConfigCopyError extends CanaryError {
  readonly code = 'CONFIG_COPY_REFUSED';
  readonly audience = 'user';
  readonly retry = 'backoff';
  constructor(kind: string, name: string, why: string) {
    super(`${kind} ${name}, the copy that the primary is to read, cannot be made: ${why}`);
  }
}
