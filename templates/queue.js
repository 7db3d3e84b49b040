(() => {
  const doc = document, page = doc.querySelector('main'), given = page.dataset, tag = doc.documentElement.lang,
    now = () => Date.now(), at = id => doc.getElementById(id), text_of = id => at(id).textContent, on = addEventListener, hidden = () => doc.hidden,
    closed = !!given.closed, usual = given.usual || text_of('heading'), here = doc.forms.wish.to.value,
    bar = at('progress'), bell = at('alert'), message = at('message'), sender = message?.dataset.from, pause = at('pause'), first = at('headline')
  let timer, walking, zero = now(), last = zero, seconds = +given.refresh, shown = +given.cursor, failed = 0, strange = 0, without = 0, spoken = 0
  // Texts stand here, unless they have a place for a time or are not for each visitor: those stand on the page.
  const turned = '{{text.turn}}', stopped = '{{text.watching}}'
  let off = bell?.textContent, over = false, sound, lock, dated, loud = false

  const put = (id, text) => { const place = at(id); if (place && place.textContent !== text) place.textContent = text }
  // What is new at once, figures once a minute.
  const say = (text, news) => { if (text && (news || now() - spoken > 6e4)) { spoken = now(); put('heard', text) } }
  const state = text => { if (!gone() && !over && text_of('state') !== text) { put('state', text); say(text, true) } }
  const still = () => given.paused === 'true'
  // A library such as Turbo puts another page into this one's place, and leaves this script running.
  const gone = () => !page.isConnected
  // A reload would send again what was sent to get here.
  const go = () => { if (!gone()) given.unsent ? location.replace(here) : location.reload() }

  // Times as the visitor's browser writes them in the language and the digits of the page.
  const tongue = new Intl.Locale(navigator.languages.find(own => own.slice(0, 2) === tag.slice(0, 2)) || tag, { numberingSystem: 'latn' }),
    digits = new Intl.NumberFormat(tag + '-u-nu-latn'), forms = new Intl.PluralRules(tag)
  const checked = () => put('updated', given.updated.replace('{time}', new Date().toLocaleTimeString(tongue)))
  const clock = (seconds, minutes, round) => {
    const step = 6e4 * (minutes || 1), time = new Date(round((now() + 1e3 * seconds) / step) * step),
      month = time.toDateString() === new Date().toDateString() ? undefined : 'short'
    return time.toLocaleString(tongue, { month: month, day: month && 'numeric', hour: minutes && 'numeric', minute: minutes && '2-digit' }).split(' ').join('\xa0')
  }
  // No finer than the estimate is known, which is to a fifth of it: from days on, dates alone.
  const times = place => {
    const estimate = parseInt(place.estimate), time = (text, from, to, minutes) => text.replace('{from}', clock(from, minutes, Math.floor)).replace('{time}', clock(to, minutes, Math.ceil))
    put('at', place.opens > 0 ? time(given.due, 0, place.opens - 30, 1) : estimate > 7199 ? time(given.between, .8 * estimate, 1.2 * estimate, estimate > 23e4 ? undefined : 15) : estimate >= 0 ? time(given.at, 0, estimate, estimate < 1230 ? 1 : 5) : '')
    if (message) message.dataset.from = sender + (place.said ? (sender && ' · ') + clock(place.said - now() / 1e3, 1, Math.floor) : '')
    if (place.slowed) put('detail', time(place.slowed, -place.since, -place.until, 1))
    put('valid', place.valid ? time(given.back, 0, place.valid - 60, 1) : '')
  }

  const leave = (route, end = '') => location.replace(given.place.slice(0, -5) + route + encodeURIComponent(here) + end)

  // What stops `fetch` may let this pass.
  const reach = () => {
    const ask = new XMLHttpRequest()
    ask.onload = go
    ask.open('HEAD', here)
    ask.send()
  }

  const plan = most => {
    clearTimeout(timer)
    if (over) return
    // Not all are back at once.
    let wait = seconds * 2 ** Math.min(failed, 3) * (failed ? .7 + .6 * Math.random() : 1)
    if (hidden() || still()) wait = Math.max(2 * wait, 30)
    // The second poll that brings no cookie says so, and comes soon.
    timer = setTimeout(look, 1e3 * (without ? 2 : Math.min(wait, most || 60)))
  }

  const look = async asked => {
    clearTimeout(timer)
    if (over || gone()) return
    last = now()
    if (closed && !given.position) return still() && !asked ? plan() : go()
    try {
      // An address of its own, so that none is answered from a cache.
      const answer = await fetch(given.place + '?language=' + tag + '&n=' + last, { signal: AbortSignal.timeout?.(15e3) }), date = answer.headers.get('date')
      // A cache that knows no more than paths answers with what it had once.
      if (strange++ > 3) throw 0
      const place = await answer.json()
      if (gone()) return
      show(place, asked)
      failed = 0
      if (!date || date !== dated) strange = 0
      dated = date
    } catch {
      failed++
      // What spoils polls may let a page pass, which asks again without a script.
      if (navigator.onLine && !still()) {
        if (strange > 2 || failed > 12) return go()
        // Nothing answers: the page stays until something does, but not for ever, for it may be this script that is stopped.
        if (failed > 4) reach()
      }
      if (!still() || asked) state(navigator.onLine ? given.trouble : given.offline)
    }
    plan()
  }

  const show = (place, asked) => {
    if (place.waiting === false) return turn(place.claim)
    // It is of the version before, or not ours.
    if (!place.stage && !place.ticket) throw 0
    if (still() && !asked && !place.ticket) return
    // The address that a page without scripts goes to as well.
    if (place.ticket === 'none') return ++without > 1 ? leave('cookies?try=2&to=') : 0
    without = 0
    // The page was not made for these: its clock counts down from what it was told first.
    if (place.opens && !(given.opens > place.opens - 5) || closed !== !!place.closed || place.ticket || (place.position || '') != given.position || place.serving && !bar) { over = true; return go() }
    seconds = place.refresh_seconds
    const timed = place.stage === 'timed', news = page.className !== place.stage
    page.className = place.stage
    put('heading', place.heading || usual)
    // The clock ticks by itself, until it opens.
    if (given.opens && place.serving && !place.opens) {
      if (loud && !place.hold) alarm(text_of('heading'))
      given.opens = first.className = ''
      off = given.alert
      ring(loud)
    }
    put(first.className ? 'left' : 'headline', place.headline || (timed ? place.wait : ''))
    // An event may be brought forward.
    const gone_ms = 1e3 * (given.opens - place.opens)
    if (Math.abs(now() - zero - gone_ms) > 2e3) zero = now() - gone_ms
    put('detail', place.detail || '')
    put('message', place.message || '')
    times(place)
    walk(place)
    if (place.ahead) doc.title = place.ahead + doc.title.slice(doc.title.indexOf(' ·'))
    state(place.old || (still() ? stopped : ''))
    say((place.hold ? place.hold + ' ' : place.headline ? place.headline + '. ' : '') + place.line + (timed ? ' ' + text_of('label') + ': ' + place.wait : ''), news)
    if (place.serving && !place.old) checked()
  }

  const tell = text => bar.setAttribute('aria-valuetext', text)
  // Until the next poll the figures walk to what this one has confirmed, and never past it.
  const walk = place => {
    clearInterval(walking)
    const from = shown, to = place.cursor, begun = now()
    if (!place.serving) return put('line', place.line)
    const value = bar.value, left = place.position - to - 1,
      calm = matchMedia('(prefers-reduced-motion)').matches || hidden() || still() || place.hold || place.old || left < 1 || to < from
    const step = () => {
      const done = calm ? 1 : Math.min(1, (now() - begun) / 900 / seconds)
      shown = Math.floor(from + (to - from) * done)
      const ahead = place.position - shown - 1
      put('serving', digits.format(shown))
      // The sentence has the form of its last number.
      if (forms.select(ahead) === forms.select(left)) put('line', place.line.replace(place.ahead, digits.format(ahead)))
      bar.value = value + ((place.progress || 0) - value) * done
      if (done === 1) clearInterval(walking)
    }
    at('served').hidden = !to
    tell(place.line)
    walking = setInterval(step, 200)
    step()
  }

  // A slot that a cap keeps is taken by the page, and soon.
  const turn = claim => {
    const icon = doc.querySelector('[rel=icon]'), line = still() ? '' : '{{text.entering}}'
    over = true
    clearInterval(walking)
    page.className = 'turn'
    doc.title = '✓ ' + turned
    icon.href = icon.href.replace(/%23....../, '%231d6b3a')
    for (const id of ['headline', 'detail', 'notice', 'state']) put(id, '')
    put('heading', turned)
    put('line', line)
    at('enter').hidden = false
    at('enter').focus({ preventScroll: true })
    say(line ? turned + '. ' + line : turned, true)
    if (loud) alarm(turned)
    wish('')
    if (claim) return go()
    if (still()) return
    let went
    const enter = () => { went || go(); went = true }
    const soon = () => { if (!hidden()) setTimeout(enter, 3e3) }
    on('visibilitychange', soon)
    soon()
    setTimeout(enter, 6e4)
  }

  const tone = (begin, loudness) => {
    sound = sound || new AudioContext()
    const pitch = sound.createOscillator(), volume = sound.createGain(), from = sound.currentTime + begin
    volume.gain.value = loudness
    volume.gain.setTargetAtTime(0, from, .09)
    pitch.connect(volume).connect(sound.destination)
    pitch.start(from)
    pitch.stop(from + .28)
  }
  // A browser that is silent, or shows no notification, still has the title.
  const alarm = text => {
    try { [0, .3, .6].forEach(begin => tone(begin, .2)) } catch {}
    try { new Notification(text) } catch {}
    navigator.vibrate?.(400)
  }
  // The screen stays on while the alert does, where the browser can do that.
  const wake = async () => { try { lock = await (loud ? navigator.wakeLock.request('screen') : lock.release()) } catch {} }

  // The wish to be called outlives the page that waits for an opening, which loads again then.
  const own = 'bell' + given.place, wish = word => { try { return word == null ? sessionStorage[own] : sessionStorage[own] = word } catch {} }
  const ring = is => {
    loud = is
    bell.setAttribute('aria-pressed', loud)
    bell.lastChild.textContent = loud ? '{{text.alert_on}}' : off
    wish(loud ? given.opens ? 'opening' : 'turn' : '')
  }
  if (bell) {
    const wished = wish()
    bell.hidden = false
    if (wished) ring(true), wake()
    if (wished === 'opening' && bar && !given.opens && page.className !== 'hold') alarm(text_of('heading'))
    bell.onclick = async () => {
      ring(!loud)
      wake()
      if (!loud) return
      try { tone(0, .05); sound.resume() } catch {}
      try { if (await Notification.requestPermission() === 'denied' && loud) say(bell.lastChild.textContent = '{{text.alert_refused}}', true) } catch {}
    }
  }
  if (pause) pause.onclick = () => {
    given.paused = !still()
    const other = pause.textContent
    pause.textContent = given.other
    given.other = other
    state(still() ? stopped : '')
    still() ? plan() : look()
    return false
  }
  at('look').onclick = () => { look(true); return false }
  on('online', () => { clearTimeout(timer); timer = setTimeout(look, 2e3 * Math.random()) })
  on('offline', () => { if (!still()) state(given.offline) })
  on('pageshow', event => { if (event.persisted) look() })
  on('visibilitychange', () => {
    if (hidden()) return
    if (loud) wake()
    if (now() - last > 5e3) look()
  })
  // A clock that moves by the style alone is drawn sixty times a second. One that was hidden meanwhile is another.
  if (given.opens) setInterval(() => { const tick = first.getAnimations?.()[0]; if (tick) tick.pause(), tick.currentTime = now() - zero }, 250)
  times(given)
  // Old figures were not checked now.
  if (!text_of('state')) checked()
  if (bar) tell(text_of('line'))
  if (still()) put('state', stopped)
  // A link to where this page is changes no more than that.
  on('hashchange', go)
  // A way back to what a site's script put into the history leads to this page still, under that address. What put it there may
  // be here, and goes first.
  on('popstate', () => setTimeout(go, 1e3))
  // Without scripts it reloads.
  const begin = () => {
    stop()
    // That something moves is seen soon.
    plan(given.position && !still() && 5)
    if (at('notice')) say(text_of('notice'), true)
    // No server sees what stands behind #: the page that takes an invitation reads it.
    if (at('invite') && location.hash.startsWith('#invitation=')) leave('invitation?to=', location.hash)
  }
  // A script of the site may have put the page into another one, which is loaded.
  doc.readyState === 'complete' ? begin() : on('load', begin)
})()
