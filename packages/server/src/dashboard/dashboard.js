// What pages do better with JavaScript: logs that grow as they come, and links in the form of other clients.
(function () {
  'use strict';
  var xsrf = document.querySelector('meta[name="xsrf"]').content;

  function ask(path) {
    return fetch(path, { headers: { 'X-RSC-XSRF': xsrf } }).then(function (answer) {
      if (!answer.ok) throw new Error(String(answer.status));
      return answer.json();
    });
  }

  /** Adds what a task or a process prints as it comes; when it has ended, the page is shown anew with its end. */
  function follow(element) {
    var first = Number(element.dataset.lines);
    function next() {
      ask(element.dataset.follow + '&first=' + first).then(
        function (answer) {
          var atEnd = element.scrollTop + element.clientHeight >= element.scrollHeight - 4;
          var lines = answer.output || answer.entries.map(lineOf);
          if (first === 0 && lines.length > 0) element.textContent = '';
          if (lines.length > 0) element.append(lines.join('\n') + '\n');
          if (atEnd) element.scrollTop = element.scrollHeight;
          first = answer.last;
          if (answer.finished) location.reload();
          else setTimeout(next, 100);
        },
        function () {
          setTimeout(next, 3000);
        },
      );
    }
    next();
  }

  function lineOf(entry) {
    return entry.timestamp + '  ' + entry.data;
  }

  /** `#/apps/{guid}` is a content item in the links that clients such as rsconnect make. */
  function followApp() {
    var app = /^#\/apps\/([0-9a-f-]{36})/i.exec(location.hash);
    if (app && location.pathname.endsWith('/__dashboard__/')) location.replace('content/' + app[1]);
  }

  followApp();
  document.querySelectorAll('[data-follow]').forEach(follow);
})();
