/** A message is cut into parts of exactly this many bytes. Source: ton-blockchain/ton, rldp2/RldpSender.h. */
const PART_SIZE = 2_000_000
/** Bytes of a symbol. Source: the same. */
export const SYMBOL_SIZE = 768
/** Parts that are sent at a time. */
export const MAX_OPEN_PARTS = 20

/** Number of parts of a message of so many bytes; an empty one has one. */
export const partCount = (totalSize: number): number => Math.max(1, Math.ceil(totalSize / PART_SIZE))

/** Bytes of one part. */
export const partSize = (totalSize: number, part: number): number =>
  Math.min(PART_SIZE, totalSize - part * PART_SIZE)

/** Where a part begins. */
export const partStart = (part: number): number => part * PART_SIZE
