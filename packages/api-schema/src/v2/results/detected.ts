import * as z from 'zod'
import { object, text } from './parts.ts'

// Forms of addresses and hashes.

const variant = object('DetectAddressBase64Variant', 'ext.utils.detectedAddressVariant', {
  b64: text,
  b64url: text,
})
/** All forms of an address, and which of them was given. */
export const DetectedAddress = object('DetectAddress', 'ext.utils.detectedAddress', {
  raw_form: text,
  bounceable: variant,
  non_bounceable: variant,
  given_type: z.enum(['raw_form', 'friendly_bounceable', 'friendly_non_bounceable']),
  test_only: z.boolean(),
})
/** All forms of a hash of 32 bytes. */
export const DetectedHash = object('DetectHash', 'ext.utils.detectedHash', {
  b64: text,
  b64url: text,
  hex: text,
})
