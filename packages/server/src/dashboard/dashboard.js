// Enhancements of pages by JavaScript: live logs, local times, copy buttons, and links in the form of other clients.
(function () {
  'use strict';
  /** Milliseconds until a form can be sent again: loading may have been stopped, or the server does not respond. */
  var RESUBMIT_MS = 10000;
  var LEAVING_MS = 5000;
  var xsrf = document.querySelector('meta[name="xsrf"]').content;

  /** Fields whose values differ from those of the page. */
  var changed = new Set();
  /** A press that has not ended yet: a reload in between would lose the click. */
  var isPressed = false;
  /** Until when the browser may be on its way to another page, which a reload would stop. */
  var leavingUntil = 0;

  /** Reloads the page, but not while its person clicks, types, selects text or leaves; then later. */
  function reload() {
    if (isPressed || isTouched() || Date.now() < leavingUntil) setTimeout(reload, 300);
    else location.reload();
  }

  function isTouched() {
    return changed.size > 0 || !getSelection().isCollapsed || document.querySelector('form[data-sent]');
  }

  function watchPerson() {
    document.addEventListener('input', function (event) {
      var input = event.target;
      if (input.value === input.defaultValue && input.checked === input.defaultChecked) changed.delete(input);
      else changed.add(input);
    });
    function press() {
      isPressed = true;
    }
    function release() {
      // After the click.
      setTimeout(function () {
        isPressed = false;
      });
    }
    ['pointerdown', 'keydown'].forEach(function (name) {
      document.addEventListener(name, press, true);
    });
    ['pointerup', 'pointercancel', 'keyup'].forEach(function (name) {
      document.addEventListener(name, release, true);
    });
    window.addEventListener('blur', release);
    // A download leaves the page, too, and stays.
    window.addEventListener('beforeunload', function () {
      leavingUntil = Date.now() + LEAVING_MS;
    });
  }

  function ask(path, signal) {
    return fetch(path, { headers: { 'X-RSC-XSRF': xsrf }, signal: signal }).then(function (response) {
      if (!response.ok) throw Object.assign(new Error(), { status: response.status });
      return response.json();
    });
  }

  /**
   * Appends live output of a task or process while the tab is visible; reloads the page when it has ended. Tabs that
   * nobody sees would take all six connections that a browser opens to a server.
   */
  function follow(element, log) {
    var first = Number(element.dataset.lines);
    var poll;
    function next() {
      if (document.hidden) return document.addEventListener('visibilitychange', next, { once: true });
      poll = new AbortController();
      ask(element.dataset.follow + '&first=' + first, poll.signal).then(
        function (response) {
          log.say('');
          var lines = response.output || response.entries.map(lineOf);
          if (first === 0 && lines.length > 0) log.clear();
          log.add(lines);
          first = response.last;
          if (response.finished) log.end();
          else setTimeout(next, 100);
        },
        function (error) {
          if (error.name === 'AbortError') return next();
          if (error.status === 401) return log.say('You are signed out: reload the page to sign in again.');
          if (error.status === 403 || error.status === 404)
            return log.say('This log can no longer be followed: reload the page.');
          log.say('The server does not respond. Trying again …');
          setTimeout(next, 3000);
        },
      );
    }
    document.addEventListener('visibilitychange', function () {
      if (document.hidden) poll.abort();
    });
    next();
  }

  /** A log with a filter; a live log can be paused, to read or copy it. */
  function begin(element) {
    var lines = element.textContent.replace(/\n$/, '').split('\n');
    var waiting = [];
    var isEnded = false;
    var isPaused = false;
    var words = '';
    var tools = document.createElement('div');
    var pause = document.createElement('button');
    var label = document.createElement('label');
    var filter = document.createElement('input');
    var count = document.createElement('span');
    var trouble = document.createElement('span');

    function fits(line) {
      return line.toLowerCase().indexOf(words) >= 0;
    }
    function show(some) {
      var atEnd = element.scrollTop + element.clientHeight >= element.scrollHeight - 4;
      var fitting = some.filter(fits);
      if (fitting.length > 0) element.append(fitting.join('\n') + '\n');
      if (atEnd) element.scrollTop = element.scrollHeight;
    }
    function tell() {
      pause.textContent = isPaused ? 'Continue' : 'Pause';
      var late =
        waiting.length > 0 ? [waiting.length + (waiting.length === 1 ? ' new line' : ' new lines')] : [];
      count.textContent = late
        .concat(isEnded ? ['Ended: reload the page to see the outcome'] : [])
        .join('. ');
    }
    pause.type = 'button';
    pause.addEventListener('click', function () {
      isPaused = !isPaused;
      if (!isPaused) {
        var late = waiting;
        waiting = [];
        log.add(late);
        if (isEnded) reload();
      }
      tell();
    });
    filter.type = 'search';
    filter.addEventListener('input', function () {
      words = filter.value.toLowerCase();
      element.textContent = '';
      show(lines);
    });
    count.setAttribute('role', 'status');
    label.append('Filter ', filter);
    tools.className = 'log-tools';
    tools.append(label);
    if (element.dataset.follow) tools.append(pause);
    trouble.setAttribute('role', 'status');
    trouble.className = 'bad';
    tools.append(count, trouble);
    element.before(tools);
    // What happened last, such as the error, is at the end; a live log goes on from there.
    element.scrollTop = element.scrollHeight;
    tell();
    var log = {
      clear: function () {
        lines = [];
        element.textContent = '';
      },
      add: function (some) {
        if (isPaused) {
          waiting = waiting.concat(some);
          tell();
          return;
        }
        lines = lines.concat(some);
        show(some);
      },
      say: function (words) {
        if (trouble.textContent !== words) trouble.textContent = words;
      },
      end: function () {
        isEnded = true;
        tell();
        if (!isPaused) reload();
      },
    };
    if (element.dataset.follow) follow(element, log);
  }

  function lineOf(entry) {
    return entry.timestamp + '  ' + entry.data;
  }

  /** `#/apps/{guid}` is a content item in links of clients such as rsconnect, `#/apps/{guid}/logs` a part of it. */
  function followApp() {
    var app = /^#\/apps\/([0-9a-f-]{36}(\/\w+)?)/i.exec(location.hash);
    if (app && location.pathname.endsWith('/__dashboard__/')) location.replace('content/' + app[1]);
  }

  /** Pages have times in UTC; shows them in the browser's time zone. */
  function localize(element) {
    var at = new Date(element.dateTime);
    if (isNaN(at)) return;
    element.title = element.textContent;
    element.textContent = at.toLocaleString([], { dateStyle: 'medium', timeStyle: 'short' });
  }

  function addCopy(element) {
    var button = document.createElement('button');
    button.type = 'button';
    button.className = 'copy';
    button.textContent = 'Copy';
    button.addEventListener('click', function () {
      navigator.clipboard.writeText(element.textContent.trim() + '\n').then(
        function () {
          button.textContent = 'Copied';
        },
        function () {
          button.textContent = 'Not copied';
        },
      );
    });
    if (navigator.clipboard) element.after(button);
  }

  /** In place: a reload would lose what was typed into the forms of the page. */
  function showPicture() {
    var shown = document.querySelector('[data-picture]');
    var picture = shown.querySelector('img');
    picture.src = picture.dataset.src + '?' + Date.now();
    shown.hidden = false;
  }

  /** Uploads a picture once it is chosen. */
  function upload(input) {
    var failed = document.querySelector('[data-upload-failed]');
    function fail(words) {
      failed.hidden = false;
      failed.textContent = words;
    }
    function refuse(response) {
      function said(body) {
        // Not signed in, or not any more in the session of this page.
        var isEnded = body.code === 24 || body.code === 92;
        fail(isEnded ? 'Your session has ended: reload this page to go on.' : body.error);
      }
      return response.json().then(said, function () {
        fail('The server answered ' + response.status + '.');
      });
    }
    input.addEventListener('change', function () {
      var file = input.files[0];
      failed.hidden = true;
      // Choosing the same file again is a change, too.
      input.value = '';
      fetch(input.dataset.upload, { method: 'PUT', headers: { 'X-RSC-XSRF': xsrf }, body: file }).then(
        function (response) {
          return response.ok ? showPicture() : refuse(response);
        },
        function () {
          fail('The server cannot be reached.');
        },
      );
    });
  }

  /** A slider shows its value only with scripts: without, it is a number field. */
  function makeSlider(input) {
    var output = document.createElement('output');
    input.type = 'range';
    output.htmlFor = input.id;
    output.textContent = input.value;
    input.after(output);
    input.addEventListener('input', function () {
      output.textContent = input.value;
    });
  }

  /**
   * Sends a form once, and one with fields only while the server answers and the person is signed in: the response would
   * replace what was typed.
   */
  function send(event) {
    var form = event.target;
    if (event.defaultPrevented || form.method !== 'post' || form.dataset.again !== undefined) return;
    var state = form.dataset.sent;
    if (state !== undefined && state !== 'checked') return event.preventDefault();
    form.dataset.sent = '';
    if (state === 'checked' || !form.querySelector('textarea, input:not([type="hidden"])')) {
      setTimeout(forget, RESUBMIT_MS, form);
      return;
    }
    event.preventDefault();
    var root = location.pathname.split('/__dashboard__')[0];
    var slow = new AbortController();
    setTimeout(function () {
      slow.abort();
    }, RESUBMIT_MS);
    ask(root + '/__api__/v1/user', slow.signal).then(goOn, function (error) {
      if (error.status !== 401 && error.status < 500) return goOn();
      forget(form);
      var trouble = form.querySelector('[data-trouble]') || form.appendChild(document.createElement('p'));
      trouble.dataset.trouble = '';
      trouble.className = 'error';
      trouble.setAttribute('role', 'alert');
      trouble.textContent =
        error.status === 401
          ? 'You are signed out. Nothing was sent: '
          : 'The server does not respond. Nothing was sent: try again in a moment.';
      if (error.status !== 401) return;
      var link = document.createElement('a');
      link.href = root + '/__login__';
      link.target = '_blank';
      link.textContent = 'sign in in another tab';
      trouble.append(link, ', then send it again.');
    });
    function goOn() {
      form.dataset.sent = 'checked';
      form.requestSubmit(event.submitter);
    }
  }
  function forget(form) {
    delete form.dataset.sent;
  }

  document.addEventListener('submit', send);
  // The page is restored from the back/forward cache.
  window.addEventListener('pageshow', function () {
    document.querySelectorAll('form[data-sent]').forEach(forget);
  });
  /** Warnings about a publish, shown on the page of its deploy, which reloads at its end. */
  function sayPublishNotes() {
    var said = JSON.parse(sessionStorage.getItem('publish-notes') || 'null');
    if (!said || !location.pathname.endsWith('/tasks/' + said.task_id)) return;
    var notes = said.notes.map(function (text) {
      var note = document.createElement('p');
      note.className = 'note';
      note.setAttribute('role', 'note');
      note.textContent = text;
      return note;
    });
    var heading = document.querySelector('h1');
    heading.after.apply(heading, notes);
  }

  // The page may answer a form: neither a reload nor Back to it sends that again.
  history.replaceState(history.state, '', location.href);
  watchPerson();
  followApp();
  sayPublishNotes();
  document.querySelectorAll('pre[data-log]').forEach(begin);
  document.querySelectorAll('time[datetime]').forEach(localize);
  document.querySelectorAll('[data-upload]').forEach(upload);
  document.querySelectorAll('input[data-slider]').forEach(makeSlider);
  if (document.querySelector('[data-reload]')) setTimeout(reload, 2000);
  document.querySelectorAll('[data-copy]').forEach(addCopy);
})();
