import type { RawAddress } from '@shardwalk/model'

/** Whether the workchain does not fit the 8 bits of `addr_std`. */
export const isWide = ({ workchain }: RawAddress): boolean => workchain !== (workchain << 24) >> 24
