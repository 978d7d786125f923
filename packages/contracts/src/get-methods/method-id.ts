import { crc16 } from '@shardwalk/cells'

/** Id of a get-method: `crc16(name) | 0x10000`. Source: docs.ton.org, "Get methods". */
export const methodId = (name: string): number => crc16(Buffer.from(name)) | 0x10000
