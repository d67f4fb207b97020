import { apis, type DoctorCheck, doctorReport, type ServiceName } from '@carapace/api'
import type { Peers } from '@carapace/service'
import { words } from '../web/format.ts'
import { type Html, html } from '../web/html.ts'
import { pageHead, type Site } from '../web/layout.ts'
import { chip, section, table } from '../web/parts/basics.ts'
import { frame } from './page.ts'

type Check = DoctorCheck & { where: ServiceName }

const doctorMs = 10_000
const examined = Object.values(apis).flatMap(({ name, internal }) => (Object.hasOwn(internal, 'doctorReport') ? [name] : []))

/** What is wrong with the records of each service. The services examine their books for it, which needs seconds, so it is a page of its own. */
export async function doctorPage(peers: Peers, site: Site): Promise<string> {
  const checks = (await Promise.all(examined.map(name => checksOf(name, peers)))).flat()
  const wrong = checks.filter(({ count }) => count > 0).length
  const verdict = wrong === 0 ? 'Every check holds.' : `${wrong} of ${checks.length} checks found something.`
  return frame(
    'Doctor',
    html`${pageHead('Doctor', verdict, html`<a href="/operator">Operator</a>`)}${section('Doctor', html`<p class="side">${verdict}</p>${checkTable(checks)}`, { id: 'doctor' })}`,
    site,
  )
}

/** A check that cannot be made counts as one thing wrong. */
async function checksOf(where: ServiceName, peers: Peers): Promise<Check[]> {
  try {
    const { checks } = await peers.call(where, doctorReport, { timeoutMs: doctorMs })
    return checks.map(check => ({ ...check, where }))
  } catch (error) {
    return [{ where, name: 'books', count: 1, detail: [error instanceof Error ? error.message : String(error)] }]
  }
}

/** A line for each service: a chip for each of its checks, and what was found. */
function checkTable(checks: readonly Check[]): Html {
  const services = [...new Set(checks.map(({ where }) => where))]
  return table(
    'Checks of the records',
    ['Service', 'Checks', 'Found'],
    services.map(service => {
      const own = checks.filter(({ where }) => where === service)
      const found = own.flatMap(({ count, detail }) => (count > 0 ? detail : []))
      const chips = own.map(({ name, count }) => (count === 0 ? chip(words(name), 'good') : chip(`${words(name)}: ${count}`, 'bad')))
      return html`<tr><td>${service}</td><td><span class="chips">${chips}</span></td><td>${found.join('; ') || 'nothing'}</td></tr>`
    }),
  )
}
