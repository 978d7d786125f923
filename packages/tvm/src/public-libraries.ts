import { Builder, buildDict, type Cell, forEachLeaf, type Slice } from '@shardwalk/cells'

/**
 * Libraries in the form that TVM uses (`Hashmap 256 ^Cell`), from those of a masterchain state
 * (`loadShardStateRest(…).libraries`); undefined if there are none.
 * Source: block.tlb `shared_lib_descr$00 lib:^Cell publishers:(Hashmap 256 True)`.
 */
export function publicLibraries(root: Slice | undefined): Cell | undefined {
  const entries: [bigint, Builder][] = []
  forEachLeaf(root, 256, (value, key) => {
    entries.push([key.toBigInt(), new Builder().storeRef(value.skip(2).loadRefCell())])
  })
  return buildDict(entries, 256)
}
