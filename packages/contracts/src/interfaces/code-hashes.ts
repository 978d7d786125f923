import { tableRows } from '../table-rows.ts'

/**
 * Hashes of contract code, base64, by name; a contract that was compiled several times has several, and an
 * indented line continues its row. Code hashes are defined only here. The hash of a library cell is that of
 * the cell, not of the code it refers to.
 *
 * Sources: ton-blockchain/ton, crypto/smartcont (wallets v1-v3, dns, payment channel, restricted wallet) and
 * crypto/smc-envelope/SmartContractCode.cpp, whose numbering the tonlib names follow;
 * ton-blockchain/wallet-contract (v4), ton-blockchain/wallet-contract-v5,
 * ton-blockchain/tg-wallet-contract (the code of every account is a jump to configuration parameter -123),
 * ton-blockchain/highload-wallet-contract-v3, ton-blockchain/vesting-contract, ton-blockchain/nominator-pool;
 * ton-blockchain/multisig-contract-v2; ton-blockchain/token-contract and ton-blockchain/stablecoin-contract
 * (jetton wallets); getgems-io/nft-contracts (sales and auctions); toncenter/ton-indexer,
 * indexer/events/blocks/auction.py (items of `.ton` domains on mainnet). The others were read from mainnet
 * accounts of the protocol in the name.
 */
const CODE_HASHES_TABLE = `
# Wallets: interface names of the indexed API
wallet_v1r1 oM/CxIruFqJx8s/AtzgtgXVs7LEBfQd/qqs7tgL2how=
wallet_v1r2 1JAvzJ+tdGmPqONTIgpo2g3PcuMryy657gQhfBfTBiw=
wallet_v1r3 WHzHie/xyE9G7DeX5F/ICaFP9a4k8eDHpqmcydyQYf8=
wallet_v2r1 XJpeaMEI4YchoHxC+ZVr+zmtd+xtYktgxXbsiO7mUyk=
wallet_v2r2 /pUw0yQ4Uwg+8u8LTCkIwKv2+hwx6iQ6rKpb+MfXU/E=
wallet_v3r1 thBBpYp5gLlG6PueGY48kE0keZ/6NldOpCUcQaVm9YE=
wallet_v3r2 hNr6RJ+Ypph3ibojI1gHK8D3bcRSQAKl0JGLmnXS1Zk=
wallet_v4r1 ZN1UgFUixb6KnbWc6gEFzPDQh4bKeb64y3nogKjXMi0=
wallet_v4r2 /rX/aCDi/w2Ug+fg1iyBfYRniftK5YDIeIZtlZ2r1cA=
wallet_v5_beta 89fKU0k97trCizgZhqhJQDy6w9LFhHea8IEGWvCsS5M=
wallet_v5_beta_other 5M87L0xtamHqDytUR9JmeFsmrzY32y3u5rzRqoJvNBI=
wallet_v5r1 IINLe3KxEhR+Gy+0V7hOdNGjDwT3N9T2KmaOlVLSty8=
tg_wallet kUmuUcHkaJcQzr94MCl7Fqz7rbNjqSClN4k+f/7sp2g=
wallet_highload_v1r1 2M27t58sXKpnesRQdwvgNRviHhJQSG3oXMUqoz3RZIQ=
wallet_highload_v1r2 Dc7tISadZgE+lbGfu1xVpvAa2tQIN7qo5SHN46AqpGw=
wallet_highload_v2 lJTRzI7fEvBWcaGpugmSEJbrUIEeGSTsZcPGKfu4CBI=
wallet_highload_v2r1 jOtFs81LXMYOquHBO5wJI5Jnf+U2sumy2AG2Lv+TH+E=
wallet_highload_v2r2 ID3U81ittJmTEpqpJcrDmRa2ig5PeNJujywraer6Vnk=
wallet_highload_v3r1 EayteVWEQJDyg78ji8FEmHH3g+fMCXlAjT9IWUg+hSU=
wallet_preprocessed_v2 Reu86bXSNYhstr/hw62TtwjeBYJEiSNlye4N/kOct7U=
wallet_vesting tItTGr7DtxRjgpH3137W3J9qJynvyiBHcTc3TUrotZA=
# Wallets and others that only tonlib tells apart
tonlib_highload_v1_draft CrH/k6nnnA3v9EBdja1rWsn4wBsvHry0JZ/rnpg4AJk=
tonlib_highload_v1r2 NowDly5fTCRBK4GGUt4d4qJjDRwBFgmZnf90X7NoSa0=
tonlib_highload_v2r2 CzqIeurNKn1Au1VQvJJTFWoCkGWu+21rWDc11Y2p1b4=
tonlib_dns_draft c1Ot4+H3y+3FJbPnvDIm/lrIJ2+lJ5rDf7bvvIj0Irc=
tonlib_dns_r1 oNZ9LeiRn+e3yndlLM1P3FbGid56aRYeRfsNzF5HwVU=
tonlib_payment_channel_draft Da+y0ZPcWqW+4h62BwUQypR10vDW62Ks+b8Ckjznjgs=
tonlib_restricted_wallet jTUEm5Rs8ztYUQu0VgyEGpRfd4HW3p/GnKP0MPbjInM=
# Contracts that are recognised by their code; the names are ours
nominator_pool_v1 mj7BS8CY9rRAZMMFIiyuooAPF92oXuaoGYpwle3hDc8=
dns_item_ton i1/8nr/TkGTY1fVuRlnIJrt1k5I/XKSHKL5NYK9vUfk=
dedust_pool_code EnUJW22jkRKSQG9PQ4b554AJm4VMbe6e4old3OcJJ8E= d48NP+ZILFCIiXDfXnh/QPOkqyghcMA1pZIIdwWMmdM=
  wPnRT7yOFPDXLLoiFBZe7jWDarF0EwkSuvnb+kPq1WI=
# Sales and auctions that have no interface name of their own
nft_sale_getgems_v1 2pufziLofEllctIDZSWVebzO+RpyA1fMvowFLvyb4I8=
nft_auction_getgems_v1 /ACindAgW83MDT/7nKOMw8jBWexg2KpUMkCpLxBZLUA=
nft_auction_getgems_v2 ZmiHL6eXBUQ//UdSPo6eqfdquZ+aC1nSfej4GhwnudQ=
nft_auction_getgems_v3r3 u29ireD+stefqzuK6/CTCvmFU99gCTsgJ/Covxab/Ow=
# Other interfaces of the indexed API
airdrop_interlocker_v1 rNK47E23QUOW+lNphlPswEpBbuNknY9bILQfF2rYM/A=
airdrop_interlocker_v2 D/RKlvwkgRESNtjZkg/W4pthCCFePsW6dh6tlgKtraQ=
gram_miner zK5v+2A8fT53mrWewmf/wi3B6+CvmDmQIomnqD5MAPE=
jetton_wallet_v1 vrBoPr64kn/p/I7AoYvH3ReJlomCWhIeq0bFo6hg0M4=
jetton_wallet_v2 jSjqQht36AX+pSrPM1KWSZ8Drsjp/SHdtfJWSqZcSN4=
jetton_wallet_governed iUaPAseOVwgC45l5yFFvw43wfqdqSDV+BTbyuns+43s=
moon_pool KAgWUlMoah5P5j76ubo1SBE3qsCxoPntzLj2RC3eRsQ=
moon_booster zoTDgsi2rA0FISu6o00F5U4eMOLMkony2cnWRyahEqg=
moon_order_factory 0Ec31vZ4EDqeRIwiEJkZ0PnL4F7xsag8XnuIZoOlRwQ=
moon_order iMONKVhrXXSLrbx7Tb/iOcJcuFypxFhqROBVB6bt9qY= 7gcUCzzP4mHtKFgPYKFr2kxLnG19p64F9bfH4rHf4iY=
multisig_v2 09FNqaYn8Ow1MzQYKXYq+SuVQLIb8DZl+sCcK0bqu6w=
multisig_order_v2 oB4Ff71CiEArmJjXjWe9TpAlTJPFhmh5vC0dEoZUNrw=
nft_offer_getgems_v1 bl1mf6bvqBh8bQKe/UAVYBIy/S42wpHbw0be2rbcgCQ=
nft_sale_getgems_v4 a5WmQYucnSNZBF0edVm41UmuDlBvJMqrWPowyPsf64Y=
nft_sale_getgems_v3 JCIfpXHlQuBVx3vt/b9SfHr0YM/cfzRMRQeHtM+h600= 3rU7bFdlwebNI4v0e8XoO6WWvcwEsLhM1Qqx5HSgjzE=
  MgUN+sRPZIZrzIbyzZ4TBf6dyts5WcACI3z7CQLUQyM=
nft_sale_getgems_v2 gnj0xSM95vvtyWmvUZNEp6m//FRIVtuphqlcC8+Fcck=
nft_auction_getgems_v3 G9nFo5v/t6DzQViLXdkrgTqEK/Ze8UEJOCIAzq+Pct8=
nft_auction_getgems_v4 zlp4U06qps7tja/UhtB262CpsNbb+1Nnb2YmScBomVY=
nft_item_simple TJEjgoaC+m9DeXq0FzK8qJDK4Bdm4GdBACUFFuC/jUI=
omniston_referral 7cxi8XUil/vaJAjAnKQgs6+VKBAuM7ngoOvjhVPBj+w= bNo1HDwO42iHOl6hD1O5pHpVqs3I3rP9EDwvloyVJSc=
subscription_v2 XUG7cGLs/yqv7/IFppEtfFyyIwjbHRLCCH3IzAORwy4=
coffee_mev_protector WPvC26JoTTi4C/zj3Fqf/OAK+bRkx7TcIc9X46rhHxw=
coffee_cross_dex /qnGoe9eqyxcqU1r7x4zmUxXhqvrUmR2DhUNozv7Nnc=
jetton_wallet_coffee_lp 18OPqZSoKCZXIJ+T68Xf6Qil8G0uQfDAhekXvE9UorM=
tonco_pool vJR9FjRsL9yEW3pEY4L1nIassHXiox2/qVbNDJ5UZ44=
tonco_router m5iR6qfbe+zGzN2hvZqNJdw98oF9V+SyfsAD2vgaRDk=
tonkeeper_2fa xe8Z3yKu6LcHvXoYEXTkAKQiUiPFrkDYMg9d3XB9NKE=
x1000_wallet_v1 Q9RHFtMmqDLO1WprYKAstnYw4E9Xhf6J+HhKEQzzYVE=
x1000_affiliate_account RFb60SpDTEiYsFrGW6td6A2zPydcYCB0bejhEaXNpOY=
x1000_affiliate_program yLuWL5k+Jp+RQ1u+dsG7rdb6Tq0+msgcoJdeGCDL7ws=
`

const TABLE: ReadonlyMap<string, readonly string[]> = new Map(
  tableRows(CODE_HASHES_TABLE)
    .map((row) => row.split(' '))
    .map(([name, ...hashes]) => [name!, hashes]),
)

/** All names under which `hasCode` and `codeHashOf` know a code. */
export const CODE_HASH_NAMES: readonly string[] = [...TABLE.keys()]

/** Base64 of the hashes of a name; empty for a name without code. */
export const codeHashesOf = (name: string): readonly string[] => TABLE.get(name.trim()) ?? []

/** Base64 of the only hash of a name. Throws TypeError when there is none or more than one. */
export function codeHashOf(name: string): string {
  const [hash, ...others] = codeHashesOf(name)
  if (hash === undefined || others.length > 0) throw new TypeError(`no single code hash of ${name}`)
  return hash
}

/** True when the hash is one of those of the name. */
export function hasCode(codeHash: Uint8Array, name: string): boolean {
  return codeHashesOf(name).includes(Buffer.from(codeHash).toString('base64'))
}
