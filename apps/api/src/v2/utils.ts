import {
  formatFriendlyAddress,
  hasFriendlyForm,
  normalizedAddress,
  type V2Address,
} from '@shardwalk/api-schema'
import { failure } from '../node/failures.ts'
import type { V2Handlers } from './handler.ts'

function friendlyOf(address: V2Address, bounceable: boolean): string {
  if (!hasFriendlyForm(address))
    throw failure(422, `failed to validate request: workchain ${address.workchain} has no user-friendly form`)
  return formatFriendlyAddress(address, { bounceable, testOnly: address.testOnly })
}

function variant(address: V2Address, bounceable: boolean) {
  const b64url = friendlyOf(address, bounceable)
  const b64 = Buffer.from(b64url, 'base64url').toString('base64')
  return { '@type': 'ext.utils.detectedAddressVariant', b64, b64url }
}

const hexOf = (address: V2Address): string => address.hash.toString('hex')

export const UTIL_HANDLERS: V2Handlers<'detectAddress' | 'detectHash' | 'packAddress' | 'unpackAddress'> = {
  detectAddress: (_, { address }) => ({
    '@type': 'ext.utils.detectedAddress',
    raw_form: `${address.workchain}:${hexOf(address)}`,
    bounceable: variant(address, true),
    non_bounceable: variant(address, false),
    given_type: address.isRaw
      ? 'raw_form'
      : address.bounceable
        ? 'friendly_bounceable'
        : 'friendly_non_bounceable',
    test_only: address.testOnly,
  }),
  detectHash: (_, { hash }) => ({
    '@type': 'ext.utils.detectedHash',
    b64: hash.toString('base64'),
    b64url: hash.toString('base64url'),
    hex: hash.toString('hex'),
  }),
  packAddress: (_, { address }) => friendlyOf(address, address.bounceable),
  unpackAddress: (_, { address }) => normalizedAddress({ ...address, isRaw: true }),
}
