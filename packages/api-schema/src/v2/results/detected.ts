import * as z from 'zod'
import { object, text } from './parts.ts'

// Forms of addresses and hashes.

const variant = object('DetectAddressBase64Variant', 'ext.utils.detectedAddressVariant', {
  b64: text,
  b64url: text,
})
export const DetectedAddress = object('DetectAddress', 'ext.utils.detectedAddress', {
  raw_form: text,
  bounceable: variant,
  non_bounceable: variant,
  given_type: z.enum(['raw_form', 'friendly_bounceable', 'friendly_non_bounceable']),
  test_only: z.boolean(),
})
export const DetectedHash = object('DetectHash', 'ext.utils.detectedHash', {
  b64: text,
  b64url: text,
  hex: text,
})
