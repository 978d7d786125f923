import type { Builder } from '@shardwalk/cells'
import type { RawAddress } from '@shardwalk/model'

/** Whether the workchain does not fit the 8 bits of `addr_std`. */
export const isWide = ({ workchain }: RawAddress): boolean => workchain !== (workchain << 24) >> 24

/** block.tlb `addr_std$10`, or `addr_var$11` for a workchain that does not fit it; without anycast. */
export const storePlainAddress = (builder: Builder, address: RawAddress): Builder =>
  builder.storeAddress(
    isWide(address)
      ? { type: 'var', workchain: address.workchain, bits: { bits: 256, bytes: address.hash } }
      : address,
  )
