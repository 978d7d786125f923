import { type AddressPolicy, publicExcept } from '@shardwalk/metadata'

/** Settings of this process alone. */
export interface MetadataSettings {
  /** Empty: the default ones. */
  readonly gateways: readonly string[]
  readonly overridesFile: string | undefined
  readonly concurrency: number
  readonly isAllowed: AddressPolicy
}

/** Throws with the setting's name when one cannot be read. */
export function readMetadataSettings(env: Readonly<Record<string, string | undefined>>): MetadataSettings {
  const gateways = words(env['METADATA_IPFS_GATEWAYS'])
  for (const gateway of gateways)
    if (!/^https?:$/.test(URL.canParse(gateway) ? new URL(gateway).protocol : ''))
      throw new Error('METADATA_IPFS_GATEWAYS: expected http or https URLs, separated by commas')
  const concurrency = Number(env['METADATA_CONCURRENCY'] || 32)
  if (!Number.isInteger(concurrency) || concurrency < 1 || concurrency > 256)
    throw new Error('METADATA_CONCURRENCY: expected a whole number from 1 to 256')
  return {
    gateways,
    overridesFile: env['METADATA_OVERRIDES'] || undefined,
    concurrency,
    isAllowed: deniedBy(words(env['METADATA_DENIED_NETWORKS'])),
  }
}

function deniedBy(networks: readonly string[]): AddressPolicy {
  try {
    return publicExcept(networks)
  } catch (error) {
    throw new Error('METADATA_DENIED_NETWORKS: expected networks like 203.0.113.0/24, separated by commas', {
      cause: error,
    })
  }
}

const words = (text: string | undefined): readonly string[] =>
  (text ?? '')
    .split(',')
    .map((word) => word.trim())
    .filter((word) => word !== '')
