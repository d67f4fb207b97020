/** One offer of a 402 answer of x402 v2. */
export interface Terms {
  scheme: string
  network: string
  /** micro-USDC */
  amount: string
  asset: string
  payTo: string
  maxTimeoutSeconds: number
  extra: { name: string; version: string }
}

export interface PaymentLimits {
  /** Most that one call may cost, micro-USDC. */
  maxPayment: bigint
  /** CAIP-2 networks to pay on, the preferred one first. Default: any with a known token, in the order of the offer. */
  networks?: readonly string[]
  /** The token to pay with on a further network, or instead of USDC: CAIP-2 network → address. An amount is in its millionths. */
  assets?: Readonly<Record<string, string>>
}

/** USDC of the platform's networks. A ceiling in micro-USDC says nothing of another token: its unit may be worth anything. */
const knownAssets: Readonly<Record<string, string>> = {
  'eip155:84532': '0x036CbD53842c5426634e7929541eC2318f3dCF7e',
  'eip155:324705682': '0x2e08028E3C4c2356572E096d8EF835cD5C6030bD',
}
/** The platform says 300. What is signed for longer could be claimed long after everybody has forgotten the call. */
const longestSeconds = 600

const prefix = 'eip155:'
export const chainIdOf = (network: string): number => Number(network.slice(prefix.length))

/** The offer to pay; undefined where none is within the limits. */
export function chosenTerms(offered: unknown, { maxPayment, networks, assets }: PaymentLimits): Terms | undefined {
  const payable = { ...knownAssets, ...assets }
  const isWanted = ({ network, asset, amount }: Terms) =>
    Object.hasOwn(payable, network) && payable[network]!.toLowerCase() === asset.toLowerCase() && BigInt(amount) <= maxPayment
  const wanted = (Array.isArray(offered) ? offered : []).filter(isPayable).filter(isWanted)
  return networks ? networks.map(name => wanted.find(({ network }) => network === name)).find(found => found !== undefined) : wanted[0]
}

/** Whether it has everything that is signed, in a form that means one thing. */
function isPayable(offer: unknown): offer is Terms {
  const { scheme, network, amount, asset, payTo, maxTimeoutSeconds, extra } = (offer ?? {}) as Partial<Terms>
  const texts = [network, amount, asset, payTo, extra?.name, extra?.version]
  const isInTime = Number.isInteger(maxTimeoutSeconds) && maxTimeoutSeconds! > 0 && maxTimeoutSeconds! <= longestSeconds
  return scheme === 'exact' && isInTime && texts.every(text => typeof text === 'string') && network!.startsWith(prefix) && /^\d+$/.test(amount!)
}
