import { describeAddresses } from '@shardwalk/replies'
import type { Descriptions } from '@shardwalk/streaming'
import type { EventServices } from './event-services.ts'

/** Address book and metadata of accounts; undefined when the database cannot be read. */
export async function describe(
  services: EventServices,
  addresses: readonly string[],
  metadata: boolean,
): Promise<Descriptions | undefined> {
  try {
    return await describeAddresses(await services.context(), addresses, metadata)
  } catch (error) {
    services.log.debug('events go without address book', { error })
    return undefined
  }
}
