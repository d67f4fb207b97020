import { createHash } from 'node:crypto'
import { drawable, shortened } from '@carapace/picture'
import { type Agent, verifiedSkillNames } from '../agent.ts'
import type { Standing } from '../standing.ts'

export const cardWidth = 600
export const cardHeight = 340

const bondWords: Readonly<Record<Standing['bondTier'], string>> = { UNBONDED: 'no bond', BONDED: 'bonded', HIGH_BOND: 'high bond' }
const colours: Readonly<Record<Standing['tier'], { shell: string; ink: string }>> = {
  Hatchling: { shell: '#7d8ca3', ink: '#cfd8e3' },
  'Bronze Pinch': { shell: '#b5773c', ink: '#f0c89c' },
  'Silver Molt': { shell: '#9aa7b4', ink: '#e8eef4' },
  'Gold Shell': { shell: '#d5a021', ink: '#ffe08a' },
}

/** The card as an SVG: a function of the agent alone, so that its hash names the content. */
export function cardSvg(agent: Agent): string {
  const { standing } = agent
  const { shell, ink } = colours[standing.tier]
  const text = (x: number, y: number, size: number, colour: string, value: string, more = '') =>
    `<text x="${x}" y="${y}" font-family="Inter" font-size="${size}" fill="${colour}" ${more}>${escaped(value)}</text>`
  const bold = 'font-weight="700"'
  const skills = agent.skillNames.map(name => (verifiedSkillNames(agent).includes(name) ? `${name} (verified)` : name)).join(' · ')
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${cardWidth}" height="${cardHeight}" viewBox="0 0 ${cardWidth} ${cardHeight}">
<rect width="600" height="340" fill="#10151c"/>
<rect width="10" height="340" fill="${shell}"/>
${text(40, 52, 16, '#8fa1b5', 'CARAPACE AGENT', `letter-spacing="2" ${bold}`)}
${text(560, 52, 16, '#8fa1b5', `No. ${agent.cardTokenId}`, 'text-anchor="end"')}
${text(40, 108, agent.handle.length > 22 ? 26 : 38, '#ffffff', agent.handle, bold)}
${text(40, 138, 16, '#8fa1b5', shortened(agent.standing.moltDomain ?? agent.agentType ?? '', 40))}
${text(40, 222, 64, ink, standing.fusedScore.toFixed(1), bold)}
${text(40, 250, 16, '#8fa1b5', 'FusedScore')}
<rect x="250" y="176" width="180" height="36" rx="18" fill="${shell}"/>
${text(340, 200, 17, '#10151c', standing.tier, `text-anchor="middle" ${bold}`)}
${text(250, 250, 16, '#8fa1b5', `Risk ${standing.riskScore} · ${bondWords[standing.bondTier]} · ${standing.totalGigsCompleted} settled`)}
${text(40, 296, 16, '#cfd8e3', shortened(skills, 62))}
${text(40, 322, 14, '#8fa1b5', agent.wallet ?? agent.formerWallet ?? '')}
</svg>`
}

/** Strong ETag of the picture. */
export const cardEtag = (svg: string): string => `"${createHash('sha256').update(svg).digest('base64url')}"`

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }
const escaped = (text: string) => drawable(text).replace(/[&<>"]/g, character => entities[character]!)
