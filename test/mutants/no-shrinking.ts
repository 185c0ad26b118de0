import fc from 'fast-check';

/** A life that breaks a rule is enough: its smallest form is not searched. */
fc.configureGlobal({ ...fc.readConfigureGlobal(), endOnFailure: true });
