/**
 * A number or bigint with a flavour: values of different flavours cannot be assigned to each
 * other. Literals and results of arithmetic have no flavour and fit everywhere, so no casts are needed.
 */
export type Flavoured<T, Name extends string> = T & { readonly __flavour?: Name }

/** Logical time: orders events of one account and messages between accounts; not seconds. */
export type Lt = Flavoured<bigint, 'Lt'>

/** Amount in the smallest unit of the coin, 1e-9 TON. */
export type Nanotons = Flavoured<bigint, 'Nanotons'>

/** Seqno of a masterchain block; also of the one that commits a shard block. */
export type McBlockSeqno = Flavoured<number, 'McBlockSeqno'>

/** -1 is the masterchain, 0 the basechain. */
export type Workchain = Flavoured<number, 'Workchain'>
