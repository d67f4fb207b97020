import { apis, serviceNames } from '@carapace/api'
import { chapterTitles } from '../chapters.ts'
import { sentence } from '../format.ts'
import { type Html, html } from '../html.ts'

/** The chapters of the guide and the services, next to every page of the documentation. @param current path of the page */
export const docsNav = (current: string): Html => {
  const link = (href: string, name: string) => html`<li><a href="${href}"${href === current && html` aria-current="page"`}>${name}</a></li>`
  const described = serviceNames.filter(name => Object.keys(apis[name].endpoints).length > 0)
  return html`<nav class="docs-nav" aria-label="Documentation"><details><summary>Contents</summary><h2>Guide</h2><ul>${Object.entries(chapterTitles).map(([id, title]) => link(`/docs#${id}`, title))}</ul>
<h2>Reference</h2><ul>${described.map(name => link(`/docs/${name}`, sentence(name)))}</ul></details></nav>`
}
