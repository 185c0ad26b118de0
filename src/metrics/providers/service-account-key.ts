import * as z from 'zod';

/**
 * A JSON key of a service account. No other kind of Google credentials is taken from a Secret: some of them name files to read, addresses
 * to call or programs to run, which would be done as the controller.
 */
export const ServiceAccountKey = z.object({
  type: z.literal('service_account'),
  client_email: z.string(),
  private_key: z.string(),
  private_key_id: z.string().optional(),
});
export type ServiceAccountKey = z.infer<typeof ServiceAccountKey>;
