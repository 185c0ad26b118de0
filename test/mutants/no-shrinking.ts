import fc from 'fast-check';

/** That a life breaks a rule is enough: its smallest one is not looked for. */
fc.configureGlobal({ ...fc.readConfigureGlobal(), endOnFailure: true });
