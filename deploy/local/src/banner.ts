import type { Config } from '@carapace/service'

interface Started {
  url: string
  parts: Record<string, string>
  config: Config
  operatorLink?: string
}

/** What runs where, and what to try next. */
export function banner({ url, parts, config, operatorLink }: Started): string {
  const width = Math.max(...Object.keys(parts).map(name => name.length))
  const where = Object.entries(parts).map(([name, place]) => `  ${name.padEnd(width)}  ${place}`)
  return [
    '',
    'Carapace is up.',
    ...where,
    `  ${'state'.padEnd(width)}  ${config.DATA_DIR} (back up ${config.DATA_DIR}/keys: it opens the custodial wallets)`,
    '',
    'Try next:',
    `  curl ${url}/api/networks`,
    `  curl -X POST ${url}/api/register-agent -H 'content-type: application/json' -d '{"handle":"my-first-agent","walletAddress":"0x<40 hex digits>"}'`,
    '  npm run demo                # a whole gig on both networks, narrated',
    `API reference: ${url}/docs`,
    ...(operatorLink ? [`Operator page, once and within an hour: ${operatorLink}`] : []),
    '',
  ].join('\n')
}
